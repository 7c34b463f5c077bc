import { programPath } from '../programs/build.ts'

/**
 * Prepares a view of the machine for one run:
 *
 *     processes    all end with the command, also when it is killed
 *     a network    specs listen on fixed ports, and runs take place side by side
 *     ports        users may have those below 1024, as container runtimes set it
 *     /bin/sh      scripts of specs are for a shell that knows `[[`
 *     htdocs       the folder of pages in the image of a web server
 *     TMPDIR       the data of the machine is not in /tmp, which the web server has for itself
 *     etcd         a pod starts it by its path in the image, and has nowhere to put its data
 */
const setUp = `
ip link set lo up
echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
mount --bind "$(realpath "$(command -v bash)")" "$(realpath /bin/sh)"
data=$(mktemp -d)
chmod 1777 "$data"
mount --bind "$data" /var/tmp
export TMPDIR=/var/tmp
layers=$(mktemp -d)
mount -t tmpfs conformance "$layers"
mkdir -p "$layers/work" "$layers/upper/bin" "$layers/upper/apache2/htdocs"
cp "$0" "$layers/upper/bin/etcd.program"
printf '#!/bin/sh\\nexec "$0.program" --data-dir "$(mktemp -d)" "$@"\\n' >"$layers/upper/bin/etcd"
chmod 755 "$layers/upper" "$layers/upper/bin/etcd"
mount -t overlay conformance -o "lowerdir=/usr/local,upperdir=$layers/upper,workdir=$layers/work" /usr/local
umount -l "$layers"
rmdir "$layers"
exec "$@"`

/** A command in a view of the machine of its own. Needs root. */
export function onOwnMachine(programs: string, command: readonly string[]): string[] {
  return [
    'unshare',
    '--net',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    '--',
    'bash',
    '-euc',
    setUp,
    programPath(programs, 'etcd'),
    ...command,
  ]
}
