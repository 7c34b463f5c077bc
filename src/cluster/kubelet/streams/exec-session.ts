import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ExitWatch } from '../process/exit-watch.ts'
import { type ProcessIdentity, trySignal } from '../process/process-identity.ts'
import { commandMarker, containerMarker, readEnvironment } from '../process/process-marker.ts'
import { workingDirectoryOf } from '../process/run-command.ts'
import { type CommandOwner, programBeside } from '../isolation/command-beside.ts'
import type { CommandProcess } from './command-process.ts'
import { exitStatus } from './exit-status.ts'
import { type Session, SessionRefused, type SessionRequest } from './session.ts'
import { spawnCommand } from './spawn-command.ts'
import { spawnTerminal } from './spawn-terminal.ts'

/** Dependencies of exec sessions. */
export interface ExecPorts {
  readonly clock: Clock
  readonly exitWatch: ExitWatch
}

/** A shell on a terminal that was hung up gets this long to put its things away. */
const hangUpMs = 1_000
/**
 * Output of a command that has exited is over when nothing came for this long: a child in the
 * background may hold the pipe open for ever.
 */
const quietMs = 250

/**
 * Runs a command beside a container's process, in its environment and working directory. It ends
 * with the client, with the container, and with the kubelet; the marker in its environment lets the
 * next kubelet kill those that this one left behind. @throws SessionRefused
 */
export async function startExec(
  ports: ExecPorts,
  container: ProcessIdentity,
  request: SessionRequest,
  owner?: CommandOwner,
): Promise<Session> {
  const { [containerMarker]: marker, ...environment } = readEnvironment(container.pid)
  const workingDirectory = workingDirectoryOf(container.pid)
  if (owner !== undefined) assertExecutable(request.command[0] ?? '', environment['PATH'] ?? '')
  const marked = { ...environment, ...(marker === undefined ? {} : { [commandMarker]: marker }) }
  const command = {
    ...programBeside(container.pid, workingDirectory, { command: request.command, environment: marked }, owner),
    workingDirectory,
    stdin: request.stdin,
  }
  const process = await (request.tty ? spawnTerminal(command) : spawnCommand(command))
  let over = false
  const kill = (): void => {
    if (!over) trySignal(-process.pid, 'SIGKILL')
  }
  const end = (): void => {
    if (over) return
    if (!request.tty) return kill()
    trySignal(-process.pid, 'SIGHUP')
    ports.clock.after(hangUpMs, kill)
  }
  const watching = ports.exitWatch.watch(container, kill)
  const exited = process.exited.then((exitCode) => {
    over = true
    watching[Symbol.dispose]()
    for (const output of [process.stdout, process.stderr]) if (output !== undefined) endWhenQuiet(ports.clock, output)
    return exitStatus(exitCode)
  })
  return { ...streamsOf(process, request), resize: (size) => process.resize(size), status: exited, end }
}

/**
 * The shell that starts the program as another user would hide that it is missing behind exit code
 * 127. @throws SessionRefused
 */
function assertExecutable(program: string, path: string): void {
  if (program.includes('/') || path.split(':').some((folder) => existsSync(join(folder, program)))) return
  throw new SessionRefused(`exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH`)
}

/** Output that the client did not request is drained, or the process would block. */
function streamsOf(process: CommandProcess, request: SessionRequest): Pick<Session, 'stdin' | 'stdout' | 'stderr'> {
  if (!request.stdout) process.stdout.resume()
  if (!request.stderr) process.stderr?.resume()
  return {
    stdin: process.stdin,
    stdout: request.stdout ? process.stdout : undefined,
    stderr: request.stderr ? process.stderr : undefined,
  }
}

function endWhenQuiet(clock: Clock, output: Readable & { readonly bytesRead?: number }): void {
  let before = -1
  const look = (): void => {
    if (output.destroyed || output.readableEnded) return
    // While something waits to be sent, the client is what takes its time.
    const isQuiet = output.readableLength === 0 && output.bytesRead === before
    before = output.bytesRead ?? 0
    if (isQuiet) output.destroy()
    else clock.after(quietMs, look)
  }
  look()
}
