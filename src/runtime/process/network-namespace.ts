import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { replaceFile } from './replace-file.ts'

/** A command failed in a network namespace. The message is what it printed. */
export class NetworkCommandFailed extends Error {
  override readonly name = 'NetworkCommandFailed'
}

/** Returns a command that enters a network namespace, and becomes the given one. */
export function inNetworkNamespace(namespace: string, command: readonly string[]): readonly [program: string, ...args: string[]] {
  return ['nsenter', `--net=${namespace}`, '--', ...command]
}

/**
 * Runs a command in a network namespace, and returns its output. @throws NetworkCommandFailed
 */
export function runInNetworkNamespace(namespace: string, command: readonly string[], input = ''): Promise<string> {
  const [program, ...args] = inNetworkNamespace(namespace, command)
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new NetworkCommandFailed(stderr.trim() || error.message))
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/**
 * Replaces a file of a folder whose reader takes each file as soon as it has its name: it is
 * written beside the folder. Readable by all, as the reader is another user.
 */
export async function replaceWatchedFile(path: string, content: string): Promise<void> {
  await replaceFile(path, content, { mode: 0o644, through: dirname(dirname(path)) })
}
