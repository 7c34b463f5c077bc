#!/bin/sh
# The program of a launcher pod: waits until the node agent has written launch.sh, then becomes QEMU (same pid, nothing stays resident).
# No argument: wait and launch. "pre-stop": wait until the guest has gone, so that deleting the pod powers the guest off cleanly.
set -eu
cd "${POD_DIR:?is set by the kubelet}/volumes/kubernetes.io~empty-dir/private"

# Prints "<pid> <start time in ticks>" of a process: a pid alone may belong to a later process.
identify() {
  read -r stat <"/proc/$1/stat" || return 1
  set -- "$1" ${stat##*) }
  [ "$2" != Z ] || return 1
  shift_pid=$1
  shift 20
  echo "$shift_pid $1"
}

if [ "${1:-}" = pre-stop ]; then
  [ -f launch.sh ] && [ -f process ] || exit 0
  read -r recorded <process
  while [ "$(identify "${recorded%% *}" 2>/dev/null)" = "$recorded" ]; do sleep 0.1; done
  exit 0
fi

identify $$ >process.new
mv process.new process
[ -p poke ] || mkfifo -m 600 poke 2>/dev/null || [ -p poke ]
# Opened for reading and writing: the open never blocks, and a poke is kept from here on. Only then look for the file: the agent writes first
# and pokes second, so in every order of events either the file is seen or the poke is.
exec 3<>poke
while [ ! -f launch.sh ]; do read -r _ <&3 || true; done
exec 3>&-
. ./launch.sh
