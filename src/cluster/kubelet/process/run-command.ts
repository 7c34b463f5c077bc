import { spawn } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { constants } from 'node:os'
import type { Clock } from '#runtime/clock/clock.ts'
import { type CommandOwner, programBeside } from '../isolation/command-beside.ts'
import { trySignal } from './process-identity.ts'
import { commandMarker, containerMarker, readEnvironment } from './process-marker.ts'

/** Result of a command. */
export interface CommandResult {
  readonly exitCode: number
  /** Both outputs, at most the first 10 KiB. */
  readonly output: string
  readonly timedOut: boolean
}

const maximumOutput = 10_240

/**
 * Runs a command beside a container's process, in its environment and working directory. Killed
 * with its group at the time limit.
 */
export async function runCommandBeside(
  pid: number,
  command: readonly string[],
  options: { clock: Clock; timeoutMs: number; signal?: AbortSignal; owner?: CommandOwner | undefined },
): Promise<CommandResult> {
  const { [containerMarker]: marker, ...environment } = readEnvironment(pid)
  const workingDirectory = workingDirectoryOf(pid)
  if (command.length === 0) return failed('the command is empty')
  const marked = { ...environment, ...(marker === undefined ? {} : { [commandMarker]: marker }) }
  const beside = programBeside(pid, workingDirectory, { command, environment: marked }, options.owner)
  const [program = '', ...args] = beside.command
  const child = spawn(program, args, {
    cwd: workingDirectory,
    env: beside.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer): void => {
    if (output.length < maximumOutput) output += chunk.toString('utf8').slice(0, maximumOutput - output.length)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  let timedOut = false
  const end = (): void => {
    // Not reaped yet, or the exit event would have cleared the timer: the pid is still its own.
    if (child.pid !== undefined && child.exitCode === null) trySignal(-child.pid, 'SIGKILL')
  }
  using _timer = options.clock.after(options.timeoutMs, () => {
    timedOut = true
    end()
  })
  options.signal?.addEventListener('abort', end, { once: true })
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(failed(error.message)))
      child.once('exit', (code, signal) => {
        resolve({ exitCode: signal === null ? (code ?? 0) : 128 + constants.signals[signal], output, timedOut })
      })
    })
  } finally {
    options.signal?.removeEventListener('abort', end)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function failed(message: string): CommandResult {
  return { exitCode: 126, output: message, timedOut: false }
}

/** Working directory of a process, or the root when it is gone. */
export function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return '/'
  }
}
