#!/bin/sh
# Keeps one kubelet running: the part of systemd that machine mode needs, in a shell that costs a megabyte.
# usage: supervise.sh STOP_FILE LOG_FILE PID_FILE ADOPT_PID COMMAND [ARGUMENT...]
# While STOP_FILE exists, no kubelet is started; `steadyvm down` makes it. Ends when its folder is gone.
# ADOPT_PID is a kubelet that already runs, or 0: one of a release without locks holds none.
#
# Two locks next to STOP_FILE keep every node at one supervisor and one kubelet, whatever is killed
# and however many are started at once. The kernel releases them when their last holder ends.
#   supervisor.lock (fd 9): this shell. A second supervisor ends at once.
#   kubelet.lock (fd 8): this shell and its kubelet, so that the kubelet of a killed supervisor keeps it.
# Every other child closes both; the kubelet closes fd 9, and what it starts inherits neither.

# A function, since a shell reads its script while it runs it, and an upgrade may replace the file.
supervise() {
  stop=$1 log=$2 pid_file=$3 adopt=$4
  shift 4
  exec 9>>"${stop%/*}/supervisor.lock" 8>>"${stop%/*}/kubelet.lock"
  flock -n 9 8>&- || exit 0
  echo $$ >"$pid_file"
  flock 8 9>&-
  while [ "$adopt" != 0 ] && grep -q kubelet "/proc/$adopt/cmdline" 2>/dev/null 8>&- 9>&-; do sleep 2 8>&- 9>&-; done
  pause=0
  # A home that was removed while it ran has no kubelet to start.
  while [ -d "${stop%/*}" ] && [ ! -e "$stop" ]; do
    [ $pause = 0 ] || sleep $pause 8>&- 9>&-
    read -r started _ </proc/uptime
    STEADYVM_ROLE=kubelet "$@" </dev/null >>"$log" 2>&1 9>&-
    read -r ended _ </proc/uptime
    # One that ran for 10 s is restarted at once, one that fails at its start after a pause.
    if [ $((${ended%.*} - ${started%.*})) -ge 10 ]; then pause=0; else pause=$((pause < 5 ? pause + 1 : 5)); fi
  done
  exit 0
}

supervise "$@"
