#!/bin/sh
# The network of the pods that ask for one, which are guests, in a network namespace of its own. Run by the static pod "pod-network".
#   pod-network.sh uplink    creates what is missing, then becomes slirp4netns: connections to the outside, without rules on the machine
#   pod-network.sh dns       becomes dnsmasq: DHCP with lasting addresses, and DNS
#   pod-network.sh remove    removes the network
# NETWORK_OWNER is the home, NETWORK_DIR the folder of the network, POD_CIDR_PREFIX the first two numbers of its addresses, and
# HOST_LINK the interface by which the machine reaches it.
#
#   guest ─ tap ┐                                ┌ up0 ─ slirp4netns ─ sockets of the machine
#   guest ─ tap ┴ pods0 (.0.1) ─ forward rules ──┴ host0 (.255.253) ═ HOST_LINK (.255.254)
set -eu
namespace=$NETWORK_DIR/namespace
gateway=$POD_CIDR_PREFIX.0.1
inside=$POD_CIDR_PREFIX.255.253
outside=$POD_CIDR_PREFIX.255.254

within() { nsenter --net="$namespace" -- "$@"; }
is_namespace() { [ "$(stat -f -c %T "$namespace" 2>/dev/null)" = nsfs ]; }

remove() {
  ip link delete "$HOST_LINK" 2>/dev/null || :
  while is_namespace; do umount "$namespace"; done
  rm -rf "$NETWORK_DIR"
}

set_up() {
  is_namespace || rm -f "$NETWORK_DIR/ready"
  mkdir -p "$NETWORK_DIR/hosts" "$NETWORK_DIR/dhcp" "$NETWORK_DIR/options"
  chmod 755 "$NETWORK_DIR" "$NETWORK_DIR/hosts" "$NETWORK_DIR/dhcp" "$NETWORK_DIR/options"
  echo "$POD_CIDR_PREFIX $NETWORK_OWNER" >"$NETWORK_DIR/owner"
  [ -c /dev/net/tun ] || { mkdir -p /dev/net && mknod -m 666 /dev/net/tun c 10 200; }
  if ! is_namespace; then
    : >"$namespace"
    unshare --net="$namespace" true
  fi
  within ip link set lo up
  within ip link show pods0 >/dev/null 2>&1 || within ip link add pods0 type bridge forward_delay 0
  # Otherwise it is that of a port, and changes when guests come and go: guests would send to the former one.
  within ip link set pods0 address 0a:58:0a:00:00:01
  within ip address replace "$gateway/16" dev pods0
  within ip link set pods0 up
  if ! within ip link show host0 >/dev/null 2>&1; then
    ip link delete "$HOST_LINK" 2>/dev/null || :
    ip link add "$HOST_LINK" type veth peer name host0 netns "$namespace"
  fi
  within ip address replace "$inside/30" dev host0
  within ip link set host0 up
  ip address replace "$outside/30" dev "$HOST_LINK"
  ip link set "$HOST_LINK" up
  ip route replace "$POD_CIDR_PREFIX.0.0/16" via "$inside" dev "$HOST_LINK" src "$outside"
  # Guests ask for the machine's address on their own network. What they send to each other does not pass the rules of the router.
  within sh -c '
    cd /proc/sys/net
    echo 1 >ipv4/ip_forward
    echo 1 >ipv4/conf/pods0/proxy_arp
    for rules in bridge/bridge-nf-call-*; do [ ! -e "$rules" ] || echo 0 >"$rules"; done
  '
  within nft -f "${0%/*}/pod-network.nft"
}

case ${1-} in
  uplink)
    set_up
    touch "$NETWORK_DIR/ready"
    exec slirp4netns --configure --mtu=1500 --disable-host-loopback --enable-sandbox --enable-seccomp --netns-type=path "$namespace" up0
    ;;
  dns)
    until [ -e "$NETWORK_DIR/ready" ]; do sleep 0.1; done
    # Answers the guests that a file of the folder "dhcp" names, and no others. Reads new files at once.
    set -- --keep-in-foreground --log-facility=- --no-hosts --user=nobody --group=nogroup --pid-file="$NETWORK_DIR/dns.pid"
    set -- "$@" --interface=pods0 --interface=host0 --except-interface=lo --bind-interfaces
    set -- "$@" --dhcp-range="$POD_CIDR_PREFIX.0.0,static,255.255.0.0,infinite" --dhcp-authoritative --dhcp-rapid-commit --no-ping
    set -- "$@" --dhcp-hostsdir="$NETWORK_DIR/dhcp" --dhcp-optsdir="$NETWORK_DIR/options" --leasefile-ro --dhcp-lease-max=65536 --quiet-dhcp
    set -- "$@" --hostsdir="$NETWORK_DIR/hosts" --no-resolv --server=10.0.2.3 --local=/cluster.local/ --local=/vm/ --cache-size=1000
    trap 'kill "$server" 2>/dev/null; exit' TERM
    # Node agents end it when the MAC address of an address changes. SIGHUP would not do: it keeps leases, and dnsmasq 2.90 crashes.
    while :; do
      nsenter --net="$namespace" -- dnsmasq --conf-file=/dev/null "$@" &
      server=$!
      wait "$server" || exit
    done
    ;;
  remove) remove ;;
  *)
    echo "usage: pod-network.sh uplink|dns|remove" >&2
    exit 1
    ;;
esac
