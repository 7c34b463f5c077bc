#!/bin/sh
# The network of the pods that ask for one, which are guests, in a network namespace of its own. Run by the static pod "pod-network".
#   pod-network.sh uplink    creates what is missing, then becomes slirp4netns: connections to the outside, without rules on the machine
#   pod-network.sh dns       becomes dnsmasq: DHCP with lasting addresses, and DNS
#   pod-network.sh remove    removes the network
# NETWORK_OWNER is the home, NETWORK_DIR the folder of the network, POD_CIDR_PREFIX the first two numbers of its addresses, and
# HOST_LINK the interface by which the machine reaches it, if root makes it.
#
#   guest ─ tap ┐                                ┌ up0 ─ slirp4netns ─ sockets of the machine
#   guest ─ tap ┴ pods0 (.0.1) ─ forward rules ──┴ host0 (.255.253) ═ HOST_LINK (.255.254)
set -eu
PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$NETWORK_DIR"
cd "$NETWORK_DIR"
gateway=$POD_CIDR_PREFIX.0.1
inside=$POD_CIDR_PREFIX.255.253
outside=$POD_CIDR_PREFIX.255.254
# Options of nsenter and slirp4netns that lead to the namespace; others without root.
entry=--net=namespace
uplink="--netns-type=path namespace"
[ "$(id -u)" = 0 ] || . "${0%/*}/namespace-holder.sh"

within() { nsenter $entry -- "$@"; }
is_namespace() { [ "$(stat -f -c %T namespace 2>/dev/null)" = nsfs ]; }

remove() {
  ip link delete "$HOST_LINK" 2>/dev/null || :
  while is_namespace && umount namespace 2>/dev/null; do :; done
  rm -rf "$NETWORK_DIR"
}

make_namespace() {
  is_namespace && return
  rm -rf ready networks
  [ -c /dev/net/tun ] || { mkdir -p /dev/net && mknod -m 666 /dev/net/tun c 10 200; }
  : >namespace
  unshare --net=namespace true
}

set_up() {
  mkdir -p hosts dhcp options
  chmod 755 . hosts dhcp options
  echo "$POD_CIDR_PREFIX $NETWORK_OWNER" >owner
  if [ "$(id -u)" = 0 ]; then make_namespace; else start_holder; fi
  within ip link set lo up
  within ip link show pods0 >/dev/null 2>&1 || within ip link add pods0 type bridge forward_delay 0
  # Otherwise it is that of a port, and changes when guests come and go: guests would send to the former one.
  within ip link set pods0 address 0a:58:0a:00:00:01
  # The bridge knows where a guest is from what the guest has sent, also long ago: what is for no guest that it knows reaches none.
  within ip link set pods0 type bridge ageing_time 100000000
  within ip -brief link show master pods0 | while read -r port _; do
    case $port in tap*) within ip link set dev "$port" type bridge_slave flood off ;; esac
  done
  within ip address replace "$gateway/16" dev pods0
  within ip link set pods0 up
  [ "$(id -u)" != 0 ] || link_host
  within nft -f "${0%/*}/pod-network.nft"
  within nft add element bridge pods networks "{ $POD_CIDR_PREFIX.0.0/16 }"
  # Guests ask for the machine's address on their own network, and are not told to send to each other past the router. Frames do not
  # pass its rules as such. It judges connections, not whether each packet fits the window of one.
  within sh -c '
    cd /proc/sys/net
    echo 1 >ipv4/ip_forward
    echo 1 >ipv4/conf/pods0/proxy_arp
    for redirects in all pods0; do echo 0 >"ipv4/conf/$redirects/send_redirects"; done
    for rules in bridge/bridge-nf-call-*; do [ ! -e "$rules" ] || echo 0 >"$rules"; done
    [ ! -e netfilter/nf_conntrack_tcp_be_liberal ] || echo 1 >netfilter/nf_conntrack_tcp_be_liberal
  '
}

link_host() {
  if ! within ip link show host0 >/dev/null 2>&1; then
    ip link delete "$HOST_LINK" 2>/dev/null || :
    ip link add "$HOST_LINK" type veth peer name host0 netns "$NETWORK_DIR/namespace"
  fi
  within ip address replace "$inside/30" dev host0
  within ip link set host0 up
  ip address replace "$outside/30" dev "$HOST_LINK"
  ip link set "$HOST_LINK" up
  ip route replace "$POD_CIDR_PREFIX.0.0/16" via "$inside" dev "$HOST_LINK" src "$outside"
}

# Runs dnsmasq, again when it has been ended. Node agents end it, by its PID in a file, when the MAC address of an address changes: SIGHUP would not
# do, as it keeps leases, and dnsmasq 2.90 crashes.
serve() {
  pid_file=$1
  shift
  if [ "$(id -u)" = 0 ]; then
    set -- --keep-in-foreground --log-facility=- --user=nobody --group=nogroup "$@"
  else
    # Otherwise it sets its groups, which the user namespace does not allow.
    set -- --no-daemon "$@"
  fi
  trap 'kill "$server" 2>/dev/null; exit' TERM
  while :; do
    nsenter $entry -- dnsmasq --pid-file --bind-interfaces --except-interface=lo --dhcp-authoritative --dhcp-rapid-commit --no-ping \
      --leasefile-ro --dhcp-lease-max=65536 --quiet-dhcp "$@" &
    server=$!
    echo "$server" >"$pid_file"
    wait "$server" || { kill $$; exit 1; }
  done
}

# Answers the guests that a file of the folder "dhcp" names, and no others. Reads new files at once.
serve_pods() {
  set -- --conf-file=/dev/null --no-hosts --interface=pods0
  [ "$(id -u)" != 0 ] || set -- "$@" --interface=host0
  set -- "$@" --dhcp-range="$POD_CIDR_PREFIX.0.0,static,255.255.0.0,infinite"
  set -- "$@" --dhcp-hostsdir="$NETWORK_DIR/dhcp" --dhcp-optsdir="$NETWORK_DIR/options"
  set -- "$@" --hostsdir="$NETWORK_DIR/hosts" --no-resolv --server=10.0.2.3 --local=/cluster.local/ --local=/vm/ --cache-size=1000
  # One guest may have some thousand queries that no server answers.
  set -- "$@" --dns-forward-max=10000
  serve dns.pid "$@"
}

# The same for a secondary network, whose ranges of addresses are files of the folder "ranges". Without DNS.
serve_network() {
  folder=$NETWORK_DIR/networks/$1
  set -- --conf-file=/dev/null --conf-dir="$folder/ranges" --interface="$1" --port=0
  serve "$folder/dns.pid" "$@" --dhcp-hostsdir="$folder/dhcp" --dhcp-optsdir="$folder/options"
}

case ${1-} in
  uplink)
    set_up
    # Another namespace, after a crash or a reboot, has another number.
    stat -L -c %i namespace >ready.new
    mv ready.new ready
    # Each connection of a guest is an open file.
    ulimit -n "$(ulimit -H -n)" || :
    exec slirp4netns --configure --mtu=1500 --disable-host-loopback --enable-sandbox --enable-seccomp $uplink up0
    ;;
  dns)
    until [ -s ready ] && [ "$(stat -L -c %i namespace 2>/dev/null)" = "$(cat ready 2>/dev/null)" ]; do sleep 0.1; done
    serve_pods &
    servers=$!
    served=
    trap 'kill $servers 2>/dev/null; exit' TERM
    # Node agents send it when they have made a network.
    trap : USR1
    echo $$ >servers.pid
    while :; do
      for folder in networks/*/; do
        bridge=$(basename "$folder")
        case " $served " in *" $bridge "*) continue ;; esac
        within ip link show "$bridge" >/dev/null 2>&1 || continue
        serve_network "$bridge" &
        servers="$servers $!" served="$served $bridge"
      done
      wait || :
    done
    ;;
  remove) remove ;;
  *)
    echo "usage: pod-network.sh uplink|dns|remove" >&2
    exit 1
    ;;
esac
