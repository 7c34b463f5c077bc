import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { replaceFile } from '../process/replace-file.ts'

/** A command failed in a network namespace. The message is what it printed. */
export class NetworkCommandFailed extends Error {
  override readonly name = 'NetworkCommandFailed'
}

/** Environment of programs for networks: some are in folders that only root has in its PATH. */
export const networkEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
}

/** Returns a command that enters a network namespace, and becomes the given one. */
export function inNetworkNamespace(namespace: string, command: readonly string[]): readonly [program: string, ...args: string[]] {
  return ['nsenter', ...userNamespaceOf(namespace), `--net=${namespace}`, '--', ...command]
}

/**
 * Returns the options that enter the user namespace to which the network belongs that this user
 * made without root: see pod-network.sh. The command has all rights of root there.
 */
function userNamespaceOf(namespace: string): readonly string[] {
  return process.geteuid?.() === 0 ? [] : [`--user=${join(dirname(namespace), 'holder', 'ns', 'user')}`, '--preserve-credentials']
}

/**
 * Runs a command in a network namespace, and returns its output. @throws NetworkCommandFailed
 */
export function runInNetworkNamespace(namespace: string, command: readonly string[], input = ''): Promise<string> {
  const [program, ...args] = inNetworkNamespace(namespace, command)
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { env: networkEnvironment }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new NetworkCommandFailed(stderr.trim() || error.message))
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/**
 * Writes an IPv4 address as a mark of nftables, by which rules know its guest: `0x0a400102`.
 */
export function addressMark(address: string): string {
  const parts = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
  return `0x${parts.join('')}`
}

/**
 * Replaces a file of a folder whose reader takes each file as soon as it has its name: it is
 * written beside the folder. Readable by all, as the reader is another user.
 */
export async function replaceWatchedFile(path: string, content: string): Promise<void> {
  await replaceFile(path, content, { mode: 0o644, through: dirname(dirname(path)) })
}
