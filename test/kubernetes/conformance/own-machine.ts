import { programPath } from '../programs/build.ts'

/**
 * Prepares a view of the machine for one run, which ends with its last process:
 *
 *     a network    specs listen on fixed ports, and runs take place side by side
 *     ports        users may have those below 1024, as container runtimes set it
 *     /bin/sh      scripts of specs are for a shell that knows `[[`
 *     etcd         a pod starts it by its path in the image
 */
const setUp = `
ip link set lo up
echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
mount --bind "$(realpath "$(command -v bash)")" "$(realpath /bin/sh)"
layers=$(mktemp -d)
mount -t tmpfs conformance "$layers"
mkdir "$layers/upper" "$layers/work"
cp "$0" "$layers/upper/etcd"
mount -t overlay conformance -o "lowerdir=/usr/local/bin,upperdir=$layers/upper,workdir=$layers/work" /usr/local/bin
umount -l "$layers"
rmdir "$layers"
exec "$@"`

/** A command in a view of the machine of its own. Needs root. */
export function onOwnMachine(programs: string, command: readonly string[]): string[] {
  return ['unshare', '--net', '--mount', '--', 'bash', '-euc', setUp, programPath(programs, 'etcd'), ...command]
}
