#!/bin/sh
# First process of a host: gives it file systems, a name and kernel settings of its own, and waits.
#   init.sh NAME VAR WAITING-PROGRAM FOLDER…    VAR becomes /var; the FOLDERs stay visible in it
set -eu
name=$1 var=$2 waiting_program=$3
shift 3

mount -t proc proc /proc
for folder; do
  case $folder in /var/*)
    mkdir -p "$var${folder#/var}"
    mount --rbind "$folder" "$var${folder#/var}"
  esac
done
mount --rbind "$var" /var
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/lock /run/kernel-settings

# The kubelet writes these settings, which belong to the whole machine, unless they have its values.
while read -r setting value; do
  [ -e "/proc/sys/$setting" ] || continue
  file=/run/kernel-settings/${setting##*/}
  echo "$value" >"$file"
  mount --bind "$file" "/proc/sys/$setting"
done <<SETTINGS
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
SETTINGS

echo "$name" >/proc/sys/kernel/hostname
ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward
# Connections between pods of one bridge go through the rules of services, too.
bridge_setting=/proc/sys/net/bridge/bridge-nf-call-iptables
[ ! -e $bridge_setting ] || echo 1 >$bridge_setting

# Mounts of a pod with Bidirectional propagation reach the host and other pods.
mount --make-rshared /
exec "$waiting_program"
