import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { defaultGracePeriodSeconds, podsByVmi } from '#features/vmi/index.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { pressAgainAfterMs, type Domain } from '#qemu/index.ts'
import type { OutOfSpace, SpaceTrial } from '../lifecycle/out-of-space.ts'
import { freeSpaceOf } from '../volumes/free-space.ts'
import type { Guest } from './guest.ts'
import { launcherExitOf, type LauncherExit } from './launcher-exit.ts'
import { podOf, type Ports } from './ports.ts'

/** Observed state of a guest and its VMI. Times are in milliseconds since the epoch. */
export interface Observed {
  /** Phase of the VMI; undefined when it is gone or has been replaced by one of the same name. */
  readonly phase: string | undefined
  /**
   * Time at which the guest was asked to stop: the VMI or its pod was deleted, or the VMI is gone.
   */
  readonly stopSinceMs: number | undefined
  readonly gracePeriodMs: number
  /** True if the pod has a launch record. */
  readonly launched: boolean
  readonly startPaused: boolean
  /** Request of a user to pause or resume the guest. */
  readonly pauseRequest?: boolean
  /** False when the guest has no power button. */
  readonly acpi: boolean
  readonly launcher: 'absent' | 'running' | 'gone'
  /** Exit of the launcher as the kubelet reports it. Relevant when `launcher` is `gone`. */
  readonly exit: LauncherExit
  /** Time at which this process first found the launcher ended. */
  readonly goneSinceMs: number | undefined
  /** Undefined while the monitor does not answer. */
  readonly runState: string | undefined
  /** True if the kubelet ends the guest because its liveness probe has failed. */
  readonly isUnhealthy?: boolean
  /** True if the guest powered off because a user had asked it to reboot. */
  readonly isRebooting?: boolean
  /** What the watchdog of the guest does; undefined for a guest without one. */
  readonly watchdogAction?: NonNullable<Domain['watchdog']>['action']
  /** Set while the guest is stopped for want of space on its disks, and for nothing else. */
  readonly outOfSpace?: OutOfSpace
  /** Last attempt of this process to resume the guest when it was out of space. */
  readonly spaceTrial?: SpaceTrial | undefined
  /** Time of the next power button press; undefined before the first press by this process. */
  readonly pressAgainAtMs: number | undefined
}

/** Returns the UID of the pod on this node that runs the VMI's guest. */
export function podUidOf(ports: Pick<Ports, 'nodeName' | 'pods'>, vmi: VirtualMachineInstance): string | undefined {
  const active = Object.entries(vmi.status?.activePods ?? {}).find(([, node]) => node === ports.nodeName)
  return active?.[0] ?? ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')[0]?.metadata.uid
}

/**
 * Reports whether the VMI is gone from the API. The cache is filtered by label, so a VMI that lost
 * the label is missing from it as well.
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
 * Reports whether the VMI's guest runs in other pods or has ended elsewhere. Reads the API, because
 * the cache is filtered by label.
 */
export async function hasMovedAway(
  { client, nodeName }: Pick<Ports, 'client' | 'nodeName'>,
  guest: Guest,
  { vmi: { namespace, name, uid } }: LaunchRecord,
): Promise<boolean> {
  try {
    const vmi = await client.get(virtualMachineInstances, { namespace, name })
    const { nodeName: home, activePods = {} } = vmi.status ?? {}
    const isElsewhere = Object.keys(activePods).length > 0 && activePods[guest.podUid] === undefined
    return vmi.metadata.uid === uid && (isElsewhere || (isVmiFinal(vmi) && home !== nodeName))
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Observes one guest. `vmi` is undefined for a guest without VMI. */
export async function observe(
  ports: Pick<Ports, 'pods' | 'clock' | 'host'>,
  guest: Guest,
  vmi: VirtualMachineInstance | undefined,
): Promise<{ observed: Observed; record: LaunchRecord | undefined }> {
  const record = await guest.record()
  const exit = launcherExitOf(podOf(ports, guest, vmi))
  const found = (await guest.inspect()).kind
  // A launcher that died before it recorded its PID is only known from the pod's status.
  const launcher = found === 'absent' && typeof exit !== 'string' ? 'gone' : found
  if (launcher !== 'gone') guest.clear('launcher-gone')
  const seconds = vmi?.spec.terminationGracePeriodSeconds ?? record?.gracePeriodSeconds ?? defaultGracePeriodSeconds
  const askedMs = stopSince(ports, guest, vmi)
  const isUnhealthy = askedMs === undefined && vmi?.spec.livenessProbe !== undefined && (await guest.isToldToStop())
  const runState = launcher === 'running' && record !== undefined ? await guest.runState() : undefined
  if (runState !== 'io-error') guest.clear('out-of-space')
  const observed: Observed = {
    phase: vmi === undefined ? undefined : (vmi.status?.phase ?? ''),
    stopSinceMs: isUnhealthy ? guest.firstSeenMs('asked-to-stop', ports.clock.now()) : askedMs,
    gracePeriodMs: seconds * 1000,
    launched: record !== undefined,
    startPaused: record?.startPaused ?? false,
    ...pauseRequestOf(vmi),
    acpi: record?.domain.machine.acpi ?? true,
    launcher,
    exit,
    goneSinceMs: launcher === 'gone' ? guest.firstSeenMs('launcher-gone', ports.clock.now()) : undefined,
    runState,
    isUnhealthy,
    isRebooting: runState === 'shutdown' && (await guest.isRebooting()),
    ...(record?.domain.watchdog === undefined ? {} : { watchdogAction: record.domain.watchdog.action }),
    ...(runState === 'io-error' && record !== undefined ? await observeSpace(ports, guest, record) : {}),
    spaceTrial: guest.spaceTrial,
    pressAgainAtMs: pressAgainAt(guest),
  }
  return { observed, record }
}

/** Empty when QEMU does not answer, or when anything else than space has stopped the guest. */
async function observeSpace(
  { clock, host }: Pick<Ports, 'clock' | 'host'>,
  guest: Guest,
  { domain }: LaunchRecord,
): Promise<Pick<Observed, 'outOfSpace'>> {
  const errors = (await guest.diskErrors()) ?? []
  if (errors.length === 0 || errors.some(({ isFull }) => !isFull)) return {}
  const names = errors.map(({ disk }) => disk)
  const place = await guest.filePlace(host)
  const space = await freeSpaceOf(
    names.map((name) => domain.disks.find((disk) => disk.name === name)),
    place,
  )
  return { outOfSpace: { space, disks: names, sinceMs: guest.firstSeenMs('out-of-space', clock.now()), trial: guest.spaceTrial } }
}

function pauseRequestOf(vmi: VirtualMachineInstance | undefined): Pick<Observed, 'pauseRequest'> {
  const paused = vmi?.status?.steadyvm?.paused
  return typeof paused === 'boolean' ? { pauseRequest: paused } : {}
}

function pressAgainAt({ presses }: Guest): number | undefined {
  return presses === undefined ? undefined : presses.lastMs + pressAgainAfterMs(presses.lastMs - presses.firstMs)
}

/**
 * Returns the earliest stop request. Derived from the objects, so that a restarted agent does not
 * extend the grace period.
 */
function stopSince(ports: Pick<Ports, 'pods' | 'clock'>, guest: Guest, vmi: VirtualMachineInstance | undefined): number | undefined {
  const now = ports.clock.now()
  if (vmi === undefined) return guest.firstSeenMs('orphaned', now)
  const times: number[] = []
  if (vmi.metadata.deletionTimestamp !== undefined) times.push(Date.parse(vmi.metadata.deletionTimestamp))
  for (const { metadata } of ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')) {
    if (metadata.uid !== guest.podUid || metadata.deletionTimestamp === undefined) continue
    // A pod's deletionTimestamp is the end of its grace period.
    times.push(Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000)
  }
  if (times.length === 0) return undefined
  // API timestamps are truncated to seconds; round up so that no grace period is cut short.
  return Math.min(guest.firstSeenMs('asked-to-stop', now), Math.min(...times) + 999)
}
