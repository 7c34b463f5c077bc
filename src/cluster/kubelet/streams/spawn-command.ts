import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { CommandProcess, CommandRequest } from './command-process.ts'
import { SessionRefused } from './session.ts'

/** Runs a command with pipes. @throws SessionRefused in the words of container runtimes */
export async function spawnCommand(request: CommandRequest): Promise<CommandProcess> {
  const [program = '', ...args] = request.command
  const child = spawn(program, args, {
    cwd: request.workingDirectory,
    env: request.environment,
    detached: true,
    stdio: [request.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal]))
  })
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw new SessionRefused(whyNot(program, error as NodeJS.ErrnoException), { cause: error })
  }
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  const { pid = 0, stdin, stdout, stderr } = child
  if (stdout === null || stderr === null) throw new SessionRefused('the command has no output')
  return { pid, stdin: stdin ?? undefined, stdout, stderr, resize: () => {}, exited }
}

function whyNot(program: string, { code, message }: NodeJS.ErrnoException): string {
  const why =
    code === 'ENOENT'
      ? program.includes('/')
        ? 'no such file or directory'
        : 'executable file not found in $PATH'
      : code === 'EACCES'
        ? 'permission denied'
        : message
  return `exec failed: unable to start container process: exec: "${program}": ${why}`
}
