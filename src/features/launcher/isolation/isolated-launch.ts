import { dirname, join } from 'node:path'
import { launchScript, shellQuote } from '#qemu/index.ts'
import { mountSource } from '#runtime/isolation/covered-directory.ts'
import { setpriv, type ProcessUser } from '#runtime/isolation/process-user.ts'

/** How the QEMU of a machine without containers is separated from the others. */
export interface LaunchIsolation {
  /** User of this VM alone. */
  readonly user: ProcessUser
  /** Directory that QEMU sees empty but for `files` and `devices`: that of the machine's data. */
  readonly covered: string
  readonly files: readonly VisibleFile[]
  readonly devices: readonly DeviceNode[]
}

/** Something in the covered directory that QEMU sees. */
export interface VisibleFile {
  /** Path under which QEMU opens it. */
  readonly path: string
  /** Path of the file on the machine, without symbolic links. */
  readonly source: string
  readonly isDirectory: boolean
}

/** A device that QEMU may open. Its node exists in QEMU's view only. */
export interface DeviceNode {
  readonly path: string
  readonly type: 'block' | 'character'
  readonly major: number
  readonly minor: number
}

/** Commands that root runs before it becomes the user of a VM. */
export const namespaceCommand: readonly string[] = ['unshare', '-m']

/**
 * Returns a POSIX shell script that becomes QEMU, as {@link launchScript}: with the user and the
 * view of its VM. Also `before` runs like that. Pure.
 */
export function isolatedLaunch(
  { binary, arguments: args, before = [] }: IsolatedProgram,
  { user, covered, files, devices }: LaunchIsolation,
): string {
  const program = before.length === 0 ? [binary, ...args] : ['/bin/sh', '-c', launchScript(binary, args, before)]
  const [first = '', ...rest] = namespaceCommand
  return launchScript(first, [...rest, '/bin/sh', '-euc', viewScript({ covered, files, devices }), 'sh', ...setpriv(user), ...program])
}

interface IsolatedProgram {
  readonly binary: string
  readonly arguments: readonly string[]
  readonly before?: readonly (readonly string[])[] | undefined
}

/**
 * Shell script that makes the view, in a mount namespace of its own, and executes its arguments.
 * All files are mounted by a single process: starting one takes longer than a mount. The content
 * of the covered directory stays reachable as the working directory.
 */
function viewScript({ covered, files, devices }: Omit<LaunchIsolation, 'user'>): string {
  const isBelow = (path: string): boolean => mountSource(covered, path) !== path
  const nodes = devices.map((device, index) => ({
    ...device,
    node: isBelow(device.path) ? device.path : join(covered, '.devices', String(index)),
  }))
  const directories = new Set([
    ...files.map(({ path, isDirectory }) => (isDirectory ? path : dirname(path))),
    ...nodes.map(({ node }) => dirname(node)),
  ])
  const table = [
    ...files.map(({ path, source }) => bind(mountSource(covered, source), path)),
    ...nodes.filter(({ node, path }) => node !== path).map(({ node, path }) => bind(node, path)),
  ]
  const tableFile = join(covered, '.mounts')
  return [
    'umask 022',
    `cd ${shellQuote(covered)}`,
    `mount -t tmpfs -o mode=0711,nosuid steadyvm ${shellQuote(covered)}`,
    ...(directories.size === 0 ? [] : [`mkdir -p ${[...directories].map(shellQuote).join(' ')}`]),
    ...files.filter(({ isDirectory }) => !isDirectory).map(({ path }) => `: >${shellQuote(path)}`),
    // Only this guest's QEMU sees the node.
    ...nodes.map(({ node, type, major, minor }) => `mknod -m 666 ${shellQuote(node)} ${type === 'block' ? 'b' : 'c'} ${major} ${minor}`),
    // The program takes no pipe for a table.
    `printf '%s\\n' ${table.map(shellQuote).join(' ')} >${shellQuote(tableFile)}`,
    `mount -c -a -T ${shellQuote(tableFile)}`,
    'cd /',
    'exec "$@"',
  ].join('\n')
}

/** Returns a line of fstab(5). */
function bind(source: string, target: string): string {
  return `${escaped(source)} ${escaped(target)} none bind 0 0`
}

function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
