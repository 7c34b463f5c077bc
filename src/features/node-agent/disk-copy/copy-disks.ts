import { statfs, type FileHandle } from 'node:fs/promises'
import type { DiskCopyRequest, DiskCopyState, DiskCopyTarget, VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { activeMigration } from '#features/vmi/index.ts'
import {
  clearDiskBackups,
  freeHoles,
  QmpClosed,
  readDiskBackups,
  readDiskSizes,
  shareBlocks,
  startDiskBackups,
  type BackupDisk,
} from '#qemu/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { isFrozen } from '../guest-agent/freeze.ts'
import { openAttached, type AttachedVolume } from '../volume-hotplug/attached-volume.ts'
import { decideCopies } from './decide-copies.ts'
import { openSource } from './open-source.ts'

/** A running guest, and what is known of it. */
export interface CopiedGuest {
  readonly guest: Guest
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
  readonly runState: string
  /** Volumes that the guest has beside those that it was started with. */
  readonly plugged: ReadonlySet<string>
}

/** What came of the requested copies. */
export interface CopyOutcome {
  /** State to show; null: none. Absent: that of the VMI. */
  readonly state?: DiskCopyState | null
  /** Milliseconds before the next look. Absent: nothing is under way. */
  readonly againMs?: number
}

type CopyPorts = Pick<Ports, 'host' | 'isolation' | 'guests' | 'clock' | 'freezer' | 'log'>

/** Limit in milliseconds for the commands about copies. */
const timeoutMs = 10_000
/** Milliseconds between two looks at jobs. */
const recheckMs = 300
/** Milliseconds for which the writes of a guest are held back at most, whatever happens. */
const freezeLimitMs = 20_000
/** The same in milliseconds while storage takes snapshots. */
const holdLimitMs = 5 * 60_000

/**
 * Copies disks of a running guest as the VMI asks, and cancels what it does not ask for. Reads
 * everything from QEMU and the VMI, so that a restarted agent continues.
 */
export async function copyDisks(ports: CopyPorts, copied: CopiedGuest): Promise<CopyOutcome> {
  const { guest, vmi } = copied
  const { diskCopy, diskCopyState } = vmi.status?.steadyvm ?? {}
  if (!diskCopy && !diskCopyState && !guest.mayHaveCopies) return {}
  try {
    const backups = await guest.query(readDiskBackups, timeoutMs)
    if (backups === undefined) return { againMs: recheckMs }
    guest.mayHaveCopies = backups.jobs.length > 0 || backups.hasTargets
    const isMoving = activeMigration(vmi) !== undefined
    const step = decideCopies({ ...backups, request: diskCopy ?? undefined, state: diskCopyState ?? undefined, isMoving })
    switch (step.kind) {
      case 'none':
      case 'wait':
        return {}
      case 'clear':
        guest.mayHaveCopies = true
        await guest.query(clearDiskBackups, timeoutMs)
        return { againMs: recheckMs }
      case 'forget':
        // At the latest at its limit the freezer thaws what others could not.
        if (diskCopyState?.phase === 'Held') await ports.freezer?.thaw(guest).catch(() => {})
        return { state: null }
      case 'report':
        return { state: await settled(ports, vmi, step.state, diskCopy?.disks ?? []), againMs: recheckMs }
      case 'start':
        return await (step.request.disks.length === 0 ? hold(ports, copied, step.request) : start(ports, copied, step.request))
    }
  } catch (error) {
    if (error instanceof QmpClosed) return { againMs: recheckMs }
    throw error
  }
}

/** Holds back the writes of a guest until the request is removed. */
async function hold(ports: CopyPorts, copied: CopiedGuest, { id }: DiskCopyRequest): Promise<CopyOutcome> {
  const { quiesce, isHeld } = await holdWrites(ports, copied, holdLimitMs)
  const startTime = timestamp(ports.clock.now())
  return { state: { id, phase: isHeld ? 'Held' : 'Complete', startTime, ...(quiesce === undefined ? {} : { quiesce }) } }
}

async function start(ports: CopyPorts, copied: CopiedGuest, { id, disks }: DiskCopyRequest): Promise<CopyOutcome> {
  const { guest, vmi, plugged } = copied
  const failed = (message: string): CopyOutcome => ({ state: { id, phase: 'Failed', message }, againMs: recheckMs })
  const refs = disks.map(({ volume }) => ({ name: volume, isPlugged: plugged.has(volume) }))
  const sizes = await guest.query((qmp) => readDiskSizes(qmp, refs), timeoutMs)
  if (sizes === undefined) return { againMs: recheckMs }
  await using open = new AsyncDisposableStack()
  const targets: BackupDisk[] = []
  const files: FileHandle[] = []
  try {
    for (const [index, disk] of disks.entries()) {
      const bytes = sizes.get(disk.volume)
      const ref = refs[index]
      if (bytes === undefined || ref === undefined) return failed(`The guest has no volume "${disk.volume}": it was unplugged`)
      const target = await openTarget(ports, vmi, disk, bytes)
      // Its pod does not run yet.
      if (target === undefined) return { againMs: recheckMs }
      open.use(target)
      const isDevice = target.file.isHostDevice === true
      if (disk.volumeMode !== 'Block') {
        await target.handle.truncate(bytes)
        files.push(target.handle)
      }
      targets.push({ ...ref, bytes, descriptor: target.handle.fd, isDevice })
    }
  } catch (error) {
    if (error instanceof UnsupportedGuest) return failed(error.message)
    throw error
  }
  // The file system gives one disk one instant, and not several.
  const [target] = disks.length === 1 ? files : []
  const source =
    target === undefined ? undefined : await openSource(ports, copied, { volume: targets[0]?.name ?? '', bytes: targets[0]?.bytes ?? 0 })
  if (source !== undefined) open.use(source)
  guest.mayHaveCopies = true
  const { quiesce, thaw } = await holdWrites(ports, copied, freezeLimitMs)
  const startTime = timestamp(ports.clock.now())
  const begun = { id, startTime, ...(quiesce === undefined ? {} : { quiesce }) }
  let isShared = false
  try {
    isShared = target !== undefined && source !== undefined && shareBlocks(source.handle, target)
    if (!isShared) {
      const refusal = await guest.query(async (qmp) => ({ why: await startDiskBackups(qmp, id, targets) }), timeoutMs)
      // QEMU may have begun: the next look tells.
      if (refusal === undefined) return { againMs: recheckMs }
      if (refusal.why !== undefined) return failed(`The disks cannot be copied: ${refusal.why}`)
    }
  } finally {
    await thaw()
  }
  if (!isShared) return { state: { ...begun, phase: 'Copying', percent: 0 }, againMs: recheckMs }
  await target?.sync()
  return { state: { ...begun, phase: 'Complete', percent: 100 } }
}

/**
 * Makes lasting what QEMU has copied so far, and frees the zeros of complete copies, which QEMU has
 * allocated. The latter is no more than space, so that a failure does not matter.
 */
async function settled(
  ports: CopyPorts,
  vmi: VirtualMachineInstance,
  state: DiskCopyState,
  disks: readonly DiskCopyTarget[],
): Promise<DiskCopyState> {
  if (state.phase === 'Failed') return state
  for (const disk of disks) {
    try {
      await using target = await openClaim(ports, vmi, disk, 0)
      if (target === undefined) throw new UnsupportedGuest('the pod that attaches its copy has ended')
      const found = await target.handle.stat()
      if (state.phase === 'Complete' && found.isFile())
        await freeHoles(target.handle.fd, found.size).catch((error: unknown) => {
          ports.log.warn({ err: error, volume: disk.volume }, 'The copy of a volume keeps the space of its zeros')
        })
      await target.handle.sync()
    } catch (error) {
      // It counts at the end only.
      if (state.phase !== 'Complete') continue
      const message = `The copy of volume "${disk.volume}" cannot be made lasting: ${(error as Error).message}`
      return { ...state, phase: 'Failed', message }
    }
  }
  return state
}

/** Opens the file or device that gets the content of a disk. @throws UnsupportedGuest */
async function openTarget(
  ports: CopyPorts,
  vmi: VirtualMachineInstance,
  disk: DiskCopyTarget,
  bytes: number,
): Promise<AttachedVolume | undefined> {
  const { volume } = disk
  const target = await openClaim(ports, vmi, disk, bytes)
  if (target === undefined || target.file.isHostDevice === true) return target
  const { bavail, bsize } = await statfs(`/proc/self/fd/${target.handle.fd}`)
  const { blocks } = await target.handle.stat()
  const missing = bytes - blocks * 512 - bavail * bsize
  if (missing <= 0) return target
  await target[Symbol.asyncDispose]()
  // A guest whose old content cannot be copied could not write.
  throw new UnsupportedGuest(
    `there is not enough space for the copy of volume "${volume}": ${Math.ceil(missing / 2 ** 20)} MiB are missing`,
  )
}

/** Opens the claim of a copy. `bytes`: size of a file that does not exist yet. */
function openClaim(
  ports: CopyPorts,
  vmi: VirtualMachineInstance,
  { volume, claimName, volumeMode, podUid }: DiskCopyTarget,
  bytes: number,
): Promise<AttachedVolume | undefined> {
  const info = { volumeMode, capacity: { storage: String(bytes) }, filesystemOverhead: '0' }
  const status = { ...vmi.status, volumeStatus: [{ name: volume, target: '', persistentVolumeClaimInfo: info }] }
  const source = { volume: { name: volume, persistentVolumeClaim: { claimName } }, podUid, readOnly: false, isShareable: false }
  return openAttached(ports, { ...vmi, status }, source)
}

interface HeldWrites {
  /** Indication of snapshots. */
  readonly quiesce: DiskCopyState['quiesce']
  readonly isHeld: boolean
  readonly thaw: () => Promise<void>
}

const nothingHeld = async (): Promise<void> => {}

/**
 * Lets the guest agent hold back the writes of file systems. The freezer lets them go at its limit,
 * also when this process is killed. A freeze that was requested by others stays.
 */
async function holdWrites({ freezer }: CopyPorts, { guest, runState }: CopiedGuest, limitMs: number): Promise<HeldWrites> {
  const none = { isHeld: false, thaw: nothingHeld }
  if (runState === 'paused') return { quiesce: undefined, ...none }
  if (freezer === undefined || (await guest.isAgentConnected()) !== true) return { quiesce: 'NoGuestAgent', ...none }
  if (await isFrozen(guest)) return { quiesce: 'GuestAgent', ...none }
  const thaw = (): Promise<void> => freezer.thaw(guest).catch(() => {})
  try {
    await freezer.freeze(guest, limitMs)
    return { quiesce: 'GuestAgent', isHeld: true, thaw }
  } catch {
    return { quiesce: 'QuiesceTimeout', isHeld: false, thaw }
  }
}
