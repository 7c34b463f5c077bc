import type { Clock } from '#runtime/clock/clock.ts'
import type { ControlGroups, GroupLimits } from '#runtime/isolation/control-groups.ts'
import {
  claimPathOf,
  type ContainerExit,
  type ContainerRecord,
  logPathOf,
  readContainerRecords,
  revokeClaim,
  terminationPathOf,
  writeContainerRecord,
} from './container-record.ts'
import { groupName } from '../limits/container-limits.ts'
import { releaseStdin, stdinPathOf } from './container-stdin.ts'
import type { ExitWatch } from '../process/exit-watch.ts'
import { type ChildExit, launch, LaunchFailed } from './launch.ts'
import { readLogTail, readTerminationMessage } from '../logs/log-tail.ts'
import { type LogTimer, startLogTimer } from '../logs/log-times.ts'
import { identify, isRunning, type ProcessIdentity, signalGroup, trySignal } from '../process/process-identity.ts'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import { commandAs } from '../isolation/user-command.ts'
import { carriesMarker, containerMarker, findMarked, markerOf } from '../process/process-marker.ts'

/** Dependencies of a container. */
export interface ContainerPorts {
  readonly clock: Clock
  readonly bootId: string
  readonly exitWatch: ExitWatch
  /** Undefined: nothing is limited. */
  readonly groups?: ControlGroups | undefined
}

/** Identity of a container, and its directory for records and logs. */
export interface ContainerIdentity {
  readonly podUid: string
  readonly name: string
  readonly directory: string
}

/** One run of a container, complete. */
export interface RunRequest {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly workingDirectory: string
  readonly image: string
  readonly niceness: number
  /** Default: none. */
  readonly limits?: GroupLimits | undefined
  /**
   * Present if the process has input; `once` ends it with the first client that attaches. Default:
   * no input.
   */
  readonly stdin?: { readonly once: boolean }
  /**
   * Runs the command as another user, after root has prepared its mounts. Default: as the kubelet.
   */
  readonly as?: { readonly user: ProcessUser; prepare(command: readonly string[]): readonly string[] }
}

/** A run whose process lives. */
export type RunningRecord = Extract<ContainerRecord, { state: 'running' }>
/** A run that has ended. */
export type ExitedRecord = Extract<ContainerRecord, { state: 'exited' }>

/** One container over all its runs, with at most one process at a time across crashes. */
export interface Container extends Disposable {
  readonly identity: ContainerIdentity
  /** The newest run that came to execute something. */
  readonly current: RunningRecord | ExitedRecord | undefined
  /** The run before it. */
  readonly previous: ExitedRecord | undefined
  /**
   * Starts the next run. A program that cannot be started at all is a run that exited with
   * `StartError`.
   */
  start(request: RunRequest): Promise<void>
  /** Signals the process group. False when nothing runs. */
  signal(signal: NodeJS.Signals): boolean
  /** Changes the limits of what runs. False when the kernel refuses. */
  resize(limits: GroupLimits): boolean
}

/**
 * Recovers what an earlier kubelet recorded, adopts what still runs, and reports every later exit
 * to `onExit`.
 */
export function createContainer(ports: ContainerPorts, identity: ContainerIdentity, onExit: () => void): Container {
  const { clock, bootId, exitWatch, groups } = ports
  const { directory, podUid, name } = identity
  let current: RunningRecord | ExitedRecord | undefined
  let previous: ExitedRecord | undefined
  let pending: ContainerRecord | undefined
  let watching: Disposable | undefined
  let timing: LogTimer | undefined
  let closed = false
  /** Limits in effect, as text. Undefined: not known, since an earlier kubelet set them. */
  let limited: string | undefined

  function save<R extends ContainerRecord>(record: R): R {
    writeContainerRecord(directory, record)
    return record
  }
  function finish(record: ContainerRecord, ended: ContainerExit): void {
    const group = groupName(podUid, name, record.restart)
    const exit = ended.exitCode !== 0 && groups?.ranOutOfMemory(group) === true ? { ...ended, reason: 'OOMKilled' } : ended
    const said = readTerminationMessage(terminationPathOf(directory))
    const message = said ?? (exit.exitCode === 0 ? undefined : failureMessage(exit, readLogTail(logPathOf(directory, record.restart))))
    current = save({ ...recordBase(record), state: 'exited', exit: { ...exit, ...(message === undefined ? {} : { message }) } })
    if (record.state === 'running') killProcessGroup(record.process, markerOf(podUid, name, record.restart))
    // Also what has left the process group. One that has not ended yet is removed with the pod.
    groups?.remove(group)
  }
  function finished(record: RunningRecord, exit: ContainerExit): void {
    // The records may belong to another kubelet by now.
    if (closed) return
    watching = undefined
    timing?.[Symbol.dispose]()
    timing = undefined
    releaseStdin(stdinPathOf(directory, record.restart))
    finish(record, exit)
    onExit()
  }
  function adopt(record: RunningRecord): void {
    current = record
    timing = startLogTimer(clock, logPathOf(directory, record.restart))
    watching = exitWatch.watch(record.process, () => finished(record, unknownExit(clock.now())))
  }
  function recover(): void {
    const [newest, older] = readContainerRecords(directory)
    if (older?.state === 'exited') previous = older
    if (newest === undefined) return
    if (newest.state === 'exited') current = newest
    else if (newest.state === 'running') {
      if (isRunning(newest.process, bootId)) adopt(newest)
      else finish(newest, unknownExit(clock.now()))
    } else recoverStarting(newest)
  }
  // The kubelet died between deciding to start and knowing that it had: the claim says which of the
  // two it was.
  function recoverStarting(record: ContainerRecord): void {
    const claim = revokeClaim(claimPathOf(directory, record))
    if (claim.kind === 'revoked') {
      pending = record
      current = previous
      previous = undefined
      return
    }
    const process = findClaimant(claim.pid, markerOf(podUid, name, record.restart), bootId)
    if (process === undefined) finish(record, unknownExit(clock.now()))
    else adopt(save({ ...recordBase(record), state: 'running', process }))
  }
  function groupFilesOf({ restart }: ContainerRecord, { limits }: RunRequest): readonly string[] {
    if (groups === undefined || limits === undefined) return []
    try {
      limited = JSON.stringify(limits)
      return groups.create(groupName(podUid, name, restart), limits)
    } catch (cause) {
      throw new LaunchFailed(`Cannot limit the container: ${(cause as Error).message}`, { cause })
    }
  }
  function nextRecord(request: RunRequest): ContainerRecord {
    const restart = current === undefined ? 0 : current.restart + 1
    const attempt = pending?.restart === restart ? pending.attempt + 1 : 0
    return {
      container: name,
      restart,
      attempt,
      startedAt: clock.now(),
      image: request.image,
      state: 'starting',
    }
  }

  recover()
  return {
    identity,
    get current() {
      return current
    },
    get previous() {
      return previous
    },
    async start(request) {
      const record = save(nextRecord(request))
      pending = record
      const ended = current?.state === 'exited' ? current : previous
      try {
        const environment = { ...request.environment, [containerMarker]: markerOf(podUid, name, record.restart) }
        const program = { command: request.command, environment }
        const { as } = request
        const child = await launch({
          ...(as === undefined ? program : commandAs(as.user, program, { ...as, directory, keep: [containerMarker, 'POD_DIR'] })),
          workingDirectory: request.workingDirectory,
          logPath: logPathOf(directory, record.restart),
          niceness: request.niceness,
          claimPath: claimPathOf(directory, record),
          groupFiles: groupFilesOf(record, request),
          ...(request.stdin === undefined ? {} : { stdin: { path: stdinPathOf(directory, record.restart), once: request.stdin.once } }),
        })
        // Our own child cannot vanish from /proc before its exit event, which has not been
        // delivered yet.
        const process = identify(child.pid, bootId) ?? { pid: child.pid, startTime: '', bootId }
        const running: RunningRecord = save({ ...recordBase(record), state: 'running', process })
        current = running
        timing = startLogTimer(clock, logPathOf(directory, record.restart))
        child.onExit((exit) => finished(running, toContainerExit(exit, clock.now())))
      } catch (error) {
        if (!(error instanceof LaunchFailed)) throw error
        finish(record, { exitCode: 128, reason: 'StartError', message: error.message, finishedAt: clock.now() })
      }
      previous = ended
    },
    signal: (signal) => current?.state === 'running' && signalGroup(current.process, bootId, signal),
    resize(limits) {
      const text = JSON.stringify(limits)
      if (groups === undefined || current?.state !== 'running' || text === limited) return true
      const group = groupName(podUid, name, current.restart)
      // A container that an older release started has no group, and no limits, until it restarts.
      if (groups.names().includes(group) && !groups.resize(group, limits)) return false
      limited = text
      return true
    },
    [Symbol.dispose]: () => {
      closed = true
      timing?.[Symbol.dispose]()
      watching?.[Symbol.dispose]()
    },
  }
}

function recordBase(record: ContainerRecord): Omit<Extract<ContainerRecord, { state: 'starting' }>, 'state'> {
  const { container, restart, attempt, startedAt, image } = record
  return { container, restart, attempt, startedAt, image }
}

/** Exit of a process that ended while its parent was dead; Kubernetes reports 137 then. */
function unknownExit(now: number): ContainerExit {
  return {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container ended while no kubelet could see its exit code',
    finishedAt: now,
  }
}

/**
 * Message of a failed run, from the kubelet and the log. Only containers with mounts of their own
 * have a termination message file: all others behave as with FallbackToLogsOnError.
 */
function failureMessage(exit: ContainerExit, tail: string | undefined): string | undefined {
  return exit.message === undefined || tail === undefined ? (tail ?? exit.message) : `${exit.message}: ${tail}`
}

function toContainerExit(exit: ChildExit, now: number): ContainerExit {
  return { ...exit, reason: exit.exitCode === 0 ? 'Completed' : 'Error', finishedAt: now }
}

function findClaimant(pid: number | undefined, marker: string, bootId: string): ProcessIdentity | undefined {
  if (pid !== undefined) return carriesMarker(pid, marker) ? identify(pid, bootId) : undefined
  const leader = findMarked(marker).find(
    (found) => found.variable === containerMarker && found.marker === marker && found.pid === found.group,
  )
  return leader === undefined ? undefined : identify(leader.pid, bootId)
}

/**
 * A container ends with its main process: what it left in its process group is killed, once its
 * marker proves that it is the container's.
 */
function killProcessGroup(leader: ProcessIdentity, marker: string): void {
  if (!trySignal(-leader.pid, 0)) return
  for (const found of findMarked(marker)) if (found.group === leader.pid && found.pid !== leader.pid) trySignal(found.pid, 'SIGKILL')
}
