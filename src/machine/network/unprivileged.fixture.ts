import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { podNetworkObstacle } from './pod-network.ts'

/** A user without an entry in /etc/passwd, and without rights. */
export const unprivilegedUser = 64_321

/**
 * Becomes the user that is the first argument, where /dev/net/tun can be opened as on a usual
 * machine. The pairs of folders up to `--` are mounted: the first one at the place of the second.
 */
const script = `uid=$1; shift
mount -t tmpfs -o mode=755 tmpfs /dev/net; mknod -m 666 /dev/net/tun c 10 200
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done; shift
exec setpriv --reuid="$uid" --regid="$uid" --clear-groups --inh-caps=-all --bounding-set=-all "$@"`

/** Returns a command that root runs to run another one without root. */
export function withoutRoot(
  command: readonly string[],
  mounts: Readonly<Record<string, string>> = {},
): readonly [program: string, ...args: string[]] {
  const pairs = Object.entries(mounts).flat()
  return ['unshare', '--mount', '/bin/sh', '-euc', script, 'sh', String(unprivilegedUser), ...pairs, '--', ...command]
}

/** Reason to skip what has a pod network without root; false where it can. */
export function noUnprivilegedNetwork(): string | false {
  if (process.geteuid?.() !== 0) return 'takes root: the test becomes another user'
  const obstacle = podNetworkObstacle()
  if (obstacle !== undefined) return obstacle
  const readable = fileURLToPath(new URL('pod-network.sh', import.meta.url))
  const [program, ...args] = withoutRoot(['unshare', '--map-root-user', '--net', 'test', '-r', readable])
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? false : `users without root have no user namespaces, or cannot read "${readable}": ${stderr.trim()}`
}
