import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { activeMigration } from '#features/vmi/index.ts'
import {
  closeDisk,
  ejectMedium,
  insertMedium,
  plugDisk,
  pluggedScsiBus,
  plugScsiController,
  QmpClosed,
  readFreePorts,
  readPluggedDisks,
  readScsiIds,
  requestDiskUnplug,
  type PluggedDisks,
  type PluggedPlace,
  type QmpConnection,
} from '#qemu/index.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { attachToGuest, waits } from './attach-to-guest.ts'
import {
  decideVolumes,
  isOfOtherClaim,
  newScsiBus,
  requestedVolumes,
  type RequestedVolume,
  type VolumeDecision,
} from './requested-volumes.ts'

/** Hotplugged volumes of a running guest, and what it lacks. */
export interface GuestVolumeState {
  /** Volumes that the guest has: as a disk, or as the medium of a drive. */
  readonly plugged: ReadonlySet<string>
  /** Volumes that QEMU holds open, whatever the guest sees. */
  readonly open: ReadonlySet<string>
  /** Why volumes are not as the VMI wants them, by name. */
  readonly refused: ReadonlyMap<string, string>
  /** True while something is to come soon that QEMU does not report. */
  readonly isChanging: boolean
  /** True while the guest has not released a disk, which it may never do. */
  readonly isReleasing: boolean
}

/** State of a guest without hotplugged volumes. */
export const noVolumes: GuestVolumeState = {
  plugged: new Set(),
  open: new Set(),
  refused: new Map(),
  isChanging: false,
  isReleasing: false,
}

interface Running {
  readonly guest: Guest
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
}

/** Limit in milliseconds for the commands about volumes. */
const timeoutMs = 10_000

/**
 * Plugs and unplugs volumes as the VMI wants. Reads everything from QEMU, so that a restarted agent
 * continues. Undefined when QEMU does not answer.
 */
export async function reconcileVolumes(ports: Ports, running: Running): Promise<GuestVolumeState | undefined> {
  const { guest, record, vmi } = running
  const requested = requestedVolumes(vmi, record.domain.disks)
  const isKnown = vmi.status?.volumeStatus?.some(({ hotplugVolume }) => hotplugVolume !== undefined) === true
  if (requested.length === 0 && !isKnown && !guest.mayHaveVolumes) return noVolumes
  try {
    const state = await guest.query((qmp) => change(ports, running, requested, qmp), timeoutMs)
    if (state !== undefined) guest.mayHaveVolumes = state.open.size > 0
    return state
  } catch (error) {
    if (error instanceof QmpClosed) return undefined
    throw error
  }
}

async function change(
  ports: Ports,
  running: Running,
  requested: readonly RequestedVolume[],
  qmp: QmpConnection,
): Promise<GuestVolumeState> {
  const { record, vmi } = running
  const names = requested.map(({ name }) => name)
  const isMoving = activeMigration(vmi) !== undefined
  const [plugged, freePorts] = await Promise.all([readPluggedDisks(qmp, names), readFreePorts(qmp)])
  const scsiIds = plugged.scsiBus === undefined ? new Set<number>() : await readScsiIds(qmp, plugged.scsiBus)
  const drives = new Set((record.domain.drives ?? []).map(({ name }) => name))
  const decision = decideVolumes(requested, { plugged, drives, freePorts, scsiIds, isMoving })
  const refused = new Map(decision.refused)
  const refuse = (name: string, why: string | undefined): void => void (why === undefined || refused.set(name, why))
  for (const drive of decision.eject) refuse(drive, await ejectMedium(qmp, drive))
  for (const name of decision.unplug) refuse(name, await requestDiskUnplug(qmp, name))
  // What a guest has just released may still be in use for a moment.
  for (const name of [...decision.close, ...decision.eject]) await closeDisk(qmp, name)
  const isWaiting = await plugAll(ports, running, decision, { qmp, refuse })
  const hasChanged = isWaiting || changesOf(decision) > 0
  const now = hasChanged ? await readPluggedDisks(qmp, names) : plugged
  const stale = new Set(requested.filter((one) => isOfOtherClaim(one, now.open)).map(({ name }) => name))
  const isLeft = (name: string): boolean => !names.includes(name) || stale.has(name)
  const isReleasing = now.disks.some(({ name }) => isLeft(name))
  const isClosing = !isMoving && [...now.open.keys()].some(isLeft)
  return { ...stateOf(now, stale), refused, isReleasing, isChanging: isWaiting || (isClosing && !isReleasing) }
}

function changesOf({ plug, insert, unplug, eject, close }: VolumeDecision): number {
  return [plug, insert, unplug, eject, close].reduce((count, list) => count + list.length, 0)
}

function stateOf({ disks, media, open }: PluggedDisks, stale: ReadonlySet<string>): Pick<GuestVolumeState, 'plugged' | 'open'> {
  const shown = [...disks.map(({ name }) => name), ...media.values()]
  return { plugged: new Set(shown.filter((name) => !stale.has(name))), open: new Set(open.keys()) }
}

interface Attempt {
  readonly qmp: QmpConnection
  readonly refuse: (name: string, why: string | undefined) => void
}

/** Plugs disks and inserts media. Reports whether some have to wait for their pods. */
async function plugAll(ports: Ports, running: Running, decision: VolumeDecision, { qmp, refuse }: Attempt): Promise<boolean> {
  const { machine } = running.record.domain
  const { controllerPort } = decision
  let isWaiting = false
  if (controllerPort !== undefined) {
    const trouble = await plugScsiController(qmp, controllerPort, machine)
    for (const { volume, place } of decision.plug) if ('scsiBus' in place && place.scsiBus === newScsiBus) refuse(volume.name, trouble)
    if (trouble !== undefined) return false
  }
  for (const { volume, place } of decision.plug) {
    const outcome = await attachToGuest(ports, running, volume, { qmp, show: (disk) => plugDisk(qmp, disk, placeOn(place), machine) })
    if (outcome === waits) isWaiting = true
    else refuse(volume.name, outcome)
  }
  for (const volume of decision.insert) {
    const outcome = await attachToGuest(ports, running, volume, { qmp, show: () => insertMedium(qmp, volume.name, volume.name) })
    if (outcome === waits) isWaiting = true
    else refuse(volume.name, outcome)
  }
  return isWaiting
}

function placeOn(place: PluggedPlace): PluggedPlace {
  return 'scsiBus' in place && place.scsiBus === newScsiBus ? { ...place, scsiBus: pluggedScsiBus } : place
}
