#!/bin/sh
# The program of a launcher pod: waits until the node agent has written launch.sh, then becomes QEMU (same pid, nothing stays resident).
set -eu
# Machine mode's kubelet names the pod's folder, since the process has no mounts of its own. In a container the shared folder has a mount point, and
# pids are those of the container's namespace, by which the node agent finds the process.
if [ -n "${POD_DIR-}" ]; then
  cd "$POD_DIR/volumes/kubernetes.io~empty-dir/private"
  namespace=
else
  cd /run/steadyvm
  namespace=" $(readlink /proc/self/ns/pid)"
fi
# "<pid> <start time in ticks> <boot> [<pid namespace>]": a pid alone may later belong to another process. The command's name is cut off: it may
# contain spaces.
read -r stat </proc/$$/stat
set -- ${stat##*) }
shift 19
read -r boot </proc/sys/kernel/random/boot_id
echo "$$ $1 $boot$namespace" >process.new
mv process.new process
[ -p poke ] || mkfifo -m 600 poke 2>/dev/null || [ -p poke ]
# Opened for reading and writing: the open never blocks, and a poke is kept from here on. Only then look for the file: the agent writes first
# and pokes second, so in every order of events either the file is seen or the poke is.
exec 3<>poke
while [ ! -f launch.sh ]; do read -r _ <&3 || true; done
exec 3>&-
. ./launch.sh
