# Part of pod-network.sh, without root. The network namespace belongs to a user namespace, and both exist as long as a process is in them: the
# holder, the server of DNS, or a guest. The link "holder" leads to the folder of the first one in /proc.
entry='--user=holder/ns/user --net=namespace --preserve-credentials'

# Prints the folder in /proc of a process that is in the network, if there is one.
find_member() {
  for found in $(find -L /proc/[0-9]*/ns/net -maxdepth 0 -inum "$(cat ready 2>/dev/null || echo 0)" 2>/dev/null); do
    member=${found%/ns/net}
    # Another namespace may have the number of one that is gone.
    nsenter --user="$member/ns/user" --net="$found" --preserve-credentials -- ip -o address show dev pods0 2>/dev/null |
      grep -q " $gateway/16 " || continue
    echo "$member"
    return
  done
}

# Starts the holder, in the namespace that guests are in, or in a new one. Of a pipe it has one end, and slirp4netns, which ends with it, the other.
start_holder() {
  rm -f pipe
  mkfifo -m 600 pipe
  exec 3<>pipe 4<pipe
  member=$(find_member)
  if [ -n "$member" ]; then
    nsenter --user="$member/ns/user" --net="$member/ns/net" --preserve-credentials -- sleep infinity &
  else
    # Devices are gone with the former one.
    rm -rf ready cards networks
    unshare --map-root-user --net sleep infinity &
  fi
  exec 3>&-
  uplink="--exit-fd=4 $!"
  ln -sfn "/proc/$!" holder.new
  mv -T holder.new holder
  ln -sfn holder/ns/net namespace
  until [ "$(readlink holder/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do
    kill -0 "$!"
    sleep 0.02
  done
}
