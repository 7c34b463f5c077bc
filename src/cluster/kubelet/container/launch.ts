import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import { openContainerStdin } from './container-stdin.ts'
import { lowerPriority } from '../process/priority.ts'

/** Process to start, complete: it inherits nothing from this process. */
export interface LaunchRequest {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly workingDirectory: string
  readonly logPath: string
  /** 0 for those that must be heard under any load, up to 19 for those that can wait. */
  readonly niceness: number
  /** See {@link claimPathOf}. */
  readonly claimPath: string
  /** Files of control groups that the process joins. */
  readonly groupFiles?: readonly string[]
  /** A pipe to read input from, see {@link openContainerStdin}. Default: there is no input. */
  readonly stdin?: { readonly path: string; readonly once: boolean }
}

/** Exit of a child. */
export interface ChildExit {
  readonly exitCode: number
  readonly signal?: number
}

/** A child of this process that leads its own session and process group. */
export interface Launched {
  readonly pid: number
  onExit(listener: (exit: ChildExit) => void): void
}

/** The system refused to make the process. */
export class LaunchFailed extends Error {
  override readonly name = 'LaunchFailed'
}

/**
 * The new process creates the claim, and only then becomes the program: a kubelet that finds no
 * claim, and creates it, knows that the program never ran and never will. noclobber opens with
 * O_EXCL. Then it joins the control groups that are named up to `--`, or ends.
 */
const claimScript = `set -C
{ echo $$ >"$0"; } 2>/dev/null || exit 125
set +C
while [ "$1" != -- ]; do echo $$ >"$1" || exit 126; shift; done
shift
exec "$@"`

/**
 * Starts a process whose output goes straight to a file, so that it outlives this one. @throws
 * LaunchFailed
 */
export async function launch(request: LaunchRequest): Promise<Launched> {
  mkdirSync(dirname(request.logPath), { recursive: true })
  const log = openSync(request.logPath, 'a', 0o600)
  const stdin = request.stdin === undefined ? undefined : openContainerStdin(request.stdin.path, request.stdin.once)
  let child
  try {
    child = spawn('/bin/sh', ['-c', claimScript, request.claimPath, ...(request.groupFiles ?? []), '--', ...request.command], {
      cwd: request.workingDirectory,
      env: request.environment,
      detached: true,
      stdio: [stdin?.descriptor ?? 'ignore', log, log],
    })
  } catch (cause) {
    throw new LaunchFailed(`Cannot start ${request.command[0] ?? 'an empty command'}`, { cause })
  } finally {
    closeSync(log)
    if (stdin !== undefined) closeSync(stdin.descriptor)
  }
  const { pid } = child
  if (pid === undefined) throw await failureOf(child, request)
  if (request.niceness > 0) lowerPriority(pid, request.niceness)
  child.on('error', () => {})
  child.unref()
  return { pid, onExit: (listener) => void child.once('exit', (code, signal) => listener(toExit(code, signal))) }
}

function failureOf(child: ChildProcess, request: LaunchRequest): Promise<LaunchFailed> {
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(new LaunchFailed(`Cannot start in "${request.workingDirectory}": ${cause.message}`, { cause })))
  })
}

function toExit(code: number | null, signal: NodeJS.Signals | null): ChildExit {
  if (signal === null) return { exitCode: code ?? 0 }
  const number = constants.signals[signal]
  return { exitCode: 128 + number, signal: number }
}
