import type { Pod } from '#api/core/v1/pod.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { PodDirectory } from '../pod/pod-directory.ts'
import { refreshVolume, type VolumePorts } from './prepare-volumes.ts'

/** Dependencies of a volume refresher. */
export interface RefresherPorts extends VolumePorts {
  readonly clock: Clock
  readonly log: Logger
}

/** Keeps the volumes of a pod as their objects are. */
export interface VolumeRefresher {
  /** Nothing is written any more once this resolves. */
  close(): Promise<void>
}

/** A change shows within a minute, as in Kubernetes. */
const refreshMs = 45_000

/**
 * Refreshes volumes of ConfigMaps, Secrets, the downward API and tokens every 45 s; does nothing
 * for pods without them. `pod` returns its newest version.
 */
export function startVolumeRefresher(ports: RefresherPorts, pod: () => Pod, directory: PodDirectory): VolumeRefresher {
  let closed = false
  let timer: Disposable | undefined
  let running: Promise<void> = Promise.resolve()
  const refreshable = (pod().spec.volumes ?? []).filter(
    ({ configMap, secret, downwardAPI, projected }) => (configMap ?? secret ?? downwardAPI ?? projected) !== undefined,
  )
  const refresh = async (): Promise<void> => {
    for (const volume of refreshable) {
      if (closed) return
      try {
        await refreshVolume(ports, pod(), directory, volume)
      } catch (error) {
        // The old content stays until a refresh succeeds.
        ports.log.warn({ pod: pod().metadata.name, volume: volume.name, error }, 'volume could not be refreshed')
      }
    }
    arm()
  }
  const arm = (): void => {
    if (closed) return
    timer = ports.clock.after(refreshMs, () => {
      running = refresh()
    })
  }
  if (refreshable.length > 0) arm()
  return {
    async close() {
      closed = true
      timer?.[Symbol.dispose]()
      await running
    },
  }
}
