import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { defaultGracePeriodSeconds, podsByVmi } from '#features/vmi/index.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { pressAgainAfterMs } from '#qemu/index.ts'
import type { Guest } from './guest.ts'
import { launcherExitOf, type LauncherExit } from './launcher-exit.ts'
import type { Ports } from './ports.ts'

/**
 * What is known of a guest and of the object that wants it. Times are milliseconds since the epoch.
 */
export interface Observed {
  /** Phase of the VMI; undefined when the VMI has gone, or is another one of the same name. */
  readonly phase: string | undefined
  /**
   * When the guest was asked to end: by the deletion of its VMI or of its pod, or by the loss of
   * its VMI.
   */
  readonly stopSinceMs: number | undefined
  readonly gracePeriodMs: number
  /** Whether anything was ever launched in the pod. */
  readonly launched: boolean
  readonly startPaused: boolean
  /**
   * Whether a paused guest is one that has not run yet. Without ACPI there is no power button to
   * press.
   */
  readonly acpi: boolean
  readonly launcher: 'absent' | 'running' | 'gone'
  /** How the launcher ended, as its kubelet tells. Matters once it has gone. */
  readonly exit: LauncherExit
  /** When this process first saw that the launcher has gone. */
  readonly goneSinceMs: number | undefined
  /** Undefined while the monitor cannot be reached. */
  readonly runState: string | undefined
  /**
   * When it is time to press the power button again; undefined before this process has pressed it.
   */
  readonly pressAgainAtMs: number | undefined
}

/** The pod on this node in which the VMI's guest lives, by uid. */
export function podUidOf(ports: Pick<Ports, 'nodeName' | 'pods'>, vmi: VirtualMachineInstance): string | undefined {
  const active = Object.entries(vmi.status?.activePods ?? {}).find(([, node]) => node === ports.nodeName)
  return active?.[0] ?? ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')[0]?.metadata.uid
}

/**
 * Whether the guest's VMI has really gone: a cache that is filtered by label also loses those whose
 * label was taken away.
 */
export async function isOrphan(ports: Pick<Ports, 'client'>, { namespace, name }: Request, record: LaunchRecord): Promise<boolean> {
  try {
    const vmi = await ports.client.get(virtualMachineInstances, { namespace, name })
    return vmi.metadata.uid !== record.vmi.uid
  } catch (error) {
    if (isNotFound(error)) return true
    throw error
  }
}

/**
 * Whether the guest belongs to a VMI that lives in other pods, or has ended elsewhere. Asked of the
 * API itself, for the same reason.
 */
export async function hasMovedAway(
  { client, nodeName }: Pick<Ports, 'client' | 'nodeName'>,
  guest: Guest,
  { vmi: { namespace, name, uid } }: LaunchRecord,
): Promise<boolean> {
  try {
    const vmi = await client.get(virtualMachineInstances, { namespace, name })
    const { phase, nodeName: home, activePods = {} } = vmi.status ?? {}
    const isElsewhere = Object.keys(activePods).length > 0 && activePods[guest.podUid] === undefined
    return vmi.metadata.uid === uid && (isElsewhere || ((phase === 'Failed' || phase === 'Succeeded') && home !== nodeName))
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Looks at one guest. `vmi` is undefined for one that nobody wants any more. */
export async function observe(
  ports: Pick<Ports, 'pods' | 'clock'>,
  guest: Guest,
  vmi: VirtualMachineInstance | undefined,
): Promise<{ observed: Observed; record: LaunchRecord | undefined }> {
  const record = await guest.record()
  const pod = ports.pods.byIndex(podsByVmi, vmi?.metadata.uid ?? '').find(({ metadata }) => metadata.uid === guest.podUid)
  const exit = launcherExitOf(pod)
  const found = (await guest.inspect()).kind
  // One that was killed before it could say who it is will never be found, but its pod tells.
  const launcher = found === 'absent' && typeof exit !== 'string' ? 'gone' : found
  if (launcher !== 'gone') guest.clear('launcher-gone')
  const seconds = vmi?.spec.terminationGracePeriodSeconds ?? record?.gracePeriodSeconds ?? defaultGracePeriodSeconds
  const observed: Observed = {
    phase: vmi === undefined ? undefined : (vmi.status?.phase ?? ''),
    stopSinceMs: stopSince(ports, guest, vmi),
    gracePeriodMs: seconds * 1000,
    launched: record !== undefined,
    startPaused: record?.startPaused ?? false,
    acpi: record?.domain.machine.acpi ?? true,
    launcher,
    exit,
    goneSinceMs: launcher === 'gone' ? guest.firstSeenMs('launcher-gone', ports.clock.now()) : undefined,
    runState: launcher === 'running' && record !== undefined ? await guest.runState() : undefined,
    pressAgainAtMs: pressAgainAt(guest),
  }
  return { observed, record }
}

function pressAgainAt({ presses }: Guest): number | undefined {
  return presses === undefined ? undefined : presses.lastMs + pressAgainAfterMs(presses.lastMs - presses.firstMs)
}

/**
 * The earliest moment at which somebody asked for the end. From the objects, so that an agent that
 * restarts gives no more time than was granted.
 */
function stopSince(ports: Pick<Ports, 'pods' | 'clock'>, guest: Guest, vmi: VirtualMachineInstance | undefined): number | undefined {
  const now = ports.clock.now()
  if (vmi === undefined) return guest.firstSeenMs('orphaned', now)
  const times: number[] = []
  if (vmi.metadata.deletionTimestamp !== undefined) times.push(Date.parse(vmi.metadata.deletionTimestamp))
  for (const { metadata } of ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')) {
    if (metadata.uid !== guest.podUid || metadata.deletionTimestamp === undefined) continue
    // A pod's deletionTimestamp is when its grace ends, not when it began.
    times.push(Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000)
  }
  if (times.length === 0) return undefined
  // Times in objects are cut to seconds; nobody shall get less than was granted.
  return Math.min(guest.firstSeenMs('asked-to-stop', now), Math.min(...times) + 999)
}
