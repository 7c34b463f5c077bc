#!/bin/sh
# Keeps one kubelet running: the part of systemd that machine mode needs, in a shell that costs a megabyte.
# usage: supervise.sh STOP_FILE LOG_FILE PID_FILE ADOPT_PID COMMAND [ARGUMENT...]
# ADOPT_PID is a kubelet that already runs (its supervisor was killed and it started this one), or 0.
# As long as STOP_FILE is there, nothing is started; `steadyvm down` makes it.
stop=$1 log=$2 pid_file=$3 adopt=$4
shift 4
echo $$ > "$pid_file"
if [ "$adopt" != 0 ]; then
  while kill -0 "$adopt" 2>/dev/null; do sleep 2; done
fi
pause=0
while [ ! -e "$stop" ]; do
  [ $pause = 0 ] || sleep $pause
  read -r started _ < /proc/uptime
  "$@" </dev/null >>"$log" 2>&1
  read -r ended _ < /proc/uptime
  # One that lived for a while is restarted at once, one that fails at its start is not hammered.
  if [ $((${ended%.*} - ${started%.*})) -ge 10 ]; then pause=0; else pause=$((pause < 5 ? pause + 1 : 5)); fi
done
