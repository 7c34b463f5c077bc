import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { parseWindows, pausesUpdates, settingAnnotations, WindowInvalid } from '#features/cluster-config/index.ts'
import type { ClusterConfig } from '#features/defaults/index.ts'
import type { Settings } from './facts.ts'

/** What of the cluster's configuration is about updates of guests. */
type UpdateConfig = Pick<
  ClusterConfig,
  'workloadUpdateMethods' | 'workloadUpdateBatchSize' | 'workloadUpdateBatchIntervalMs' | 'migrations'
>

/** What the KubeVirt object says about updates of guests. Annotations that are not understood are a pause: better late than at the wrong time. */
export function settingsOf({ metadata }: KubeVirt, config: UpdateConfig): Settings {
  const { [settingAnnotations.updateWindows]: windowsText = '', [settingAnnotations.updatePaused]: paused = '' } =
    metadata.annotations ?? {}
  const windows = windowsOf(windowsText)
  return {
    methods: config.workloadUpdateMethods,
    batchSize: config.workloadUpdateBatchSize,
    batchIntervalMs: config.workloadUpdateBatchIntervalMs,
    mostPerCluster: config.migrations.parallelMigrationsPerCluster,
    mostPerNode: config.migrations.parallelOutboundMigrationsPerNode,
    windows: windows ?? [],
    isPaused: windows === undefined || pausesUpdates(paused),
  }
}

function windowsOf(text: string): Settings['windows'] | undefined {
  try {
    return parseWindows(text)
  } catch (error) {
    if (error instanceof WindowInvalid) return undefined
    throw error
  }
}
