import type { FileHandle } from 'node:fs/promises'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import { activeMigration, dumpPhases } from '#features/vmi/index.ts'
import { QmpClosed, readMemoryDump, startMemoryDump, type MemoryDump } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'
import { patchStatus } from '../guest/patch-status.ts'
import type { Ports } from '../guest/ports.ts'
import { unmounted } from '../volume-hotplug/volume-status.ts'
import { decideDump, type DumpStep } from './decide-dump.ts'
import { dumpName, openDumpFolder, type DumpFiles, type DumpFolder } from './dump-folder.ts'
import { begunStatus, completeStatus, failedStatus, namedStatus } from './dump-status.ts'

/** A guest, and how much memory it has. */
export interface DumpedGuest {
  readonly guest: Pick<Guest, 'query' | 'memoryDump'>
  readonly vmi: VirtualMachineInstance
  readonly memoryBytes: number
}

/** Status of the volumes of dumps, by name, and when to look again. */
export interface DumpOutcome {
  readonly statuses: ReadonlyMap<string, VolumeStatus>
  /** Milliseconds. Absent: nothing is under way. */
  readonly againMs?: number
}

type DumpPorts = Pick<Ports, 'host' | 'isolation' | 'guests' | 'clock' | 'log'>

/** Limit in milliseconds for the commands about dumps. */
const timeoutMs = 10_000
/** Milliseconds before the next look at a dump that runs: QEMU raises an event when it ends. */
const recheckMs = 1_000
/** Milliseconds before the next step. */
const soonMs = 100
/** Bytes that a dump has beside the memory, at most. */
const headerBytes = 1 << 20

/**
 * Dumps the memory of a guest to the claims that its VMI has for that. The VMI, the files and QEMU
 * hold all of its state, so that a restarted agent continues.
 */
export async function dumpMemory(ports: DumpPorts, dumped: DumpedGuest): Promise<DumpOutcome> {
  const { guest, vmi } = dumped
  const volumes = (vmi.status?.volumeStatus ?? []).filter(isDumpUnderWay)
  if (volumes.length === 0) return { statuses: new Map() }
  let qemu: MemoryDump | undefined
  try {
    qemu = await guest.query(readMemoryDump, timeoutMs)
  } catch (error) {
    if (!(error instanceof QmpClosed)) throw error
  }
  if (qemu === undefined) return { statuses: new Map(), againMs: soonMs }
  const statuses = new Map<string, VolumeStatus>()
  let againMs: number | undefined
  for (const status of volumes) {
    const { step, folder, files } = await observe(ports, dumped, { status, qemu })
    ports.log.debug({ volume: status.name, step, qemu: qemu.state }, 'Step of a memory dump')
    if (step === 'none') continue
    const next = await act(ports, dumped, { step, status, folder, files })
    if (next !== status) statuses.set(status.name, next)
    againMs = Math.min(againMs ?? recheckMs, step === 'wait' ? recheckMs : soonMs)
  }
  return { statuses, ...(againMs === undefined ? {} : { againMs }) }
}

/** Reports whether the node agent has something to do for a volume. */
function isDumpUnderWay({ memoryDumpVolume, phase }: VolumeStatus): boolean {
  return memoryDumpVolume !== undefined && (phase === dumpPhases.inProgress || phase === 'AttachedToNode')
}

interface Look {
  readonly step: DumpStep
  readonly folder: DumpFolder | undefined
  readonly files: DumpFiles | undefined
}

async function observe(
  ports: DumpPorts,
  { guest, vmi }: DumpedGuest,
  { status, qemu }: { readonly status: VolumeStatus; readonly qemu: MemoryDump },
): Promise<Look> {
  const { name, phase, hotplugVolume, memoryDumpVolume } = status
  const { targetFileName: file } = memoryDumpVolume ?? {}
  const { attachPodUID: podUid } = hotplugVolume ?? {}
  const folder = podUid === undefined ? undefined : await openDumpFolder(ports, vmi, { volume: name, podUid })
  const files = file === undefined ? undefined : await folder?.look(file)
  const step = decideDump({
    phase,
    isWanted: vmi.spec.volumes?.some((volume) => volume.name === name) === true,
    isAttached: podUid !== undefined,
    isMoving: activeMigration(vmi) !== undefined,
    qemu,
    files,
    hasBegun: file !== undefined && guest.memoryDump.file === file,
  })
  return { step, folder, files }
}

interface Due extends Look {
  readonly status: VolumeStatus
}

/** Takes one step. Returns the status of the volume after it. */
async function act(ports: DumpPorts, dumped: DumpedGuest, { step, status, folder, files }: Due): Promise<VolumeStatus> {
  const file = status.memoryDumpVolume?.targetFileName ?? ''
  const begun = files?.partial === undefined ? status : begunStatus(status, timestamp(files.partial.createdMs))
  if (step === 'release') {
    await folder?.discard(file)
    dumped.guest.memoryDump.file = undefined
    return unmounted(status)
  }
  if (step === 'none' || step === 'wait' || folder === undefined) return begun
  const nowMs = ports.clock.now()
  const now = timestamp(nowMs)
  switch (step) {
    case 'name':
      return namedStatus(status, await freeName(folder, dumped.vmi.metadata.name ?? '', status.name, nowMs))
    case 'start':
      return start(ports, dumped, { status, folder, file })
    case 'keep':
    case 'tell':
      await folder.keep(file)
      return completeStatus(begunStatus(begun, now), now)
    case 'fail': {
      // QEMU says it once, maybe to a process that was killed.
      const why = dumped.guest.memoryDump.error ?? ((await folder.isFull()) ? 'No space left on device' : 'QEMU has not written all of it')
      await folder.discard(file)
      return failedStatus(begun, why, now)
    }
  }
}

/** Returns a name that no dump in the folder has: names tell seconds. */
async function freeName(folder: DumpFolder, vmi: string, volume: string, nowMs: number): Promise<string> {
  for (let ms = nowMs; ; ms += 1000) {
    const name = dumpName(vmi, volume, ms)
    if (!(await folder.look(name)).isComplete) return name
  }
}

/** Errors of a folder that another attempt does not help. */
const lasting: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EEXIST', 'EFBIG']

interface Target {
  readonly status: VolumeStatus
  readonly folder: DumpFolder
  readonly file: string
}

async function start(ports: DumpPorts, { guest, memoryBytes }: DumpedGuest, { status, folder, file }: Target): Promise<VolumeStatus> {
  const begun = begunStatus(status, timestamp(ports.clock.now()))
  const failed = async (why: string): Promise<VolumeStatus> => {
    await folder.discard(file)
    return failedStatus(begun, why, timestamp(ports.clock.now()))
  }
  // A dump that does not fit would stop the guest for nothing.
  const opened = await prepare(folder, file, memoryBytes + headerBytes)
  if (typeof opened === 'string') return failed(opened)
  await using target = opened
  guest.memoryDump.error = undefined
  let answer: { readonly refusal: string | undefined } | undefined
  try {
    answer = await guest.query(async (qmp) => ({ refusal: await startMemoryDump(qmp, target.fd) }), timeoutMs)
  } catch (error) {
    if (!(error instanceof QmpClosed)) throw error
  }
  // QEMU may have begun: the next look tells.
  if (answer === undefined) return status
  if (answer.refusal !== undefined) return failed(answer.refusal)
  guest.memoryDump.file = file
  return begun
}

/** Creates the file of a dump, or returns why that is impossible. */
async function prepare(folder: DumpFolder, file: string, bytes: number): Promise<FileHandle | string> {
  try {
    const missing = await folder.makeRoom(bytes)
    if (missing > 0) return `No space left on device: ${Math.ceil(missing / 2 ** 20)} MiB are missing`
    return await folder.create(file)
  } catch (error) {
    if (lasting.includes((error as NodeJS.ErrnoException).code)) return (error as Error).message.replace(/, .*/, '')
    throw error
  }
}

/**
 * Settles the dumps of a guest that has ended: keeps what is complete, and removes the rest, as
 * long as the pods that attach their claims run. Returns the VMI as it is afterwards.
 */
export async function settleDumps(
  ports: DumpPorts & Pick<Ports, 'client'>,
  { guest, vmi }: { readonly guest: Guest; readonly vmi: VirtualMachineInstance },
): Promise<VirtualMachineInstance | undefined> {
  const dumps = (vmi.status?.volumeStatus ?? []).filter(
    ({ phase, memoryDumpVolume }) => phase === dumpPhases.inProgress && memoryDumpVolume !== undefined,
  )
  if (dumps.length === 0) return vmi
  const qemu = (await guest.query(readMemoryDump, timeoutMs).catch(() => undefined)) ?? { state: 'none', totalBytes: 0 }
  const kept = new Map<string, VolumeStatus>()
  for (const status of dumps) {
    const { step, folder, files } = await observe(ports, { guest, vmi, memoryBytes: 0 }, { status, qemu })
    if (step === 'keep' || step === 'tell') {
      kept.set(status.name, await act(ports, { guest, vmi, memoryBytes: 0 }, { step, status, folder, files }))
    } else await folder?.discard(status.memoryDumpVolume?.targetFileName ?? '')
  }
  if (kept.size === 0) return vmi
  const volumeStatus = vmi.status?.volumeStatus?.map((status) => kept.get(status.name) ?? status) ?? []
  return patchStatus(ports, vmi, { volumeStatus })
}
