import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { networkRules, shellIn, startNamespace } from '#runtime/network/network-namespace.fixture.ts'
import { addressMark } from '#runtime/network/network-namespace.ts'
import type { Answer, Question } from './peer-program.fixture.ts'

const program = new URL('peer-program.fixture.ts', import.meta.url).pathname

/** A host of the test network, which others connect to and which connects to others. */
export class Host {
  readonly address: string
  readonly #namespace: ChildProcess
  readonly #program: ChildProcess
  readonly #answers = new Map<number, (value: number) => void>()
  #count = 0

  constructor(namespace: ChildProcess, address: string, ports: readonly number[]) {
    this.address = address
    this.#namespace = namespace
    const command = [`--net=/proc/${namespace.pid}/ns/net`, process.execPath, program, ...ports.map(String)]
    this.#program = spawn('nsenter', command, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#program.on('message', (message) => {
      if (message === 'ready') return
      const { id, value } = message as unknown as Answer
      this.#answers.get(id)?.(value)
    })
  }

  async ready(): Promise<this> {
    await once(this.#program, 'message')
    return this
  }

  ask(question: Question): Promise<number> {
    const id = this.#count++
    return new Promise((resolve) => {
      this.#answers.set(id, resolve)
      this.#program.send({ id, question })
    })
  }

  /** Reports whether it gets an answer of a port. */
  async reaches(host: string, port: number, protocol: 'TCP' | 'UDP' = 'TCP'): Promise<boolean> {
    return (await this.ask({ kind: 'connect', protocol, host, port })) === 1
  }

  shell(command: string): string {
    return shellIn(this.#namespace.pid, command)
  }

  stop(): void {
    this.#program.disconnect()
    this.#namespace.kill('SIGKILL')
  }
}

/**
 * The pod network of machine mode with some guests, and what is around it, as pod-network.sh makes
 * it.
 */
export class TestNetwork implements Disposable {
  readonly guests: readonly Host[]
  /** The machine, and the outside: it has an address of either. */
  readonly world: Host
  readonly #router: ChildProcess

  constructor(router: ChildProcess, guests: readonly Host[], world: Host) {
    this.#router = router
    this.guests = guests
    this.world = world
  }

  /** Runs nft for the network. */
  nft(commands: string): string {
    return shellIn(this.#router.pid, 'nft -f -', commands)
  }

  /** Lists the rules of policies. */
  policies(): string {
    return shellIn(this.#router.pid, 'nft -s list table ip policies')
  }

  /** Loads the rules of the network again, as its pod does when it starts. */
  reload(): void {
    this.nft(networkRules)
  }

  [Symbol.dispose](): void {
    for (const host of [...this.guests, this.world]) host.stop()
    this.#router.kill('SIGKILL')
  }
}

/** Address of the outside. */
export const outside = '192.0.2.1'

/** Starts a network with guests of addresses that begin with 10.77, which answer on some ports. */
export async function startNetwork(addresses: readonly string[], ports: readonly number[]): Promise<TestNetwork> {
  const [router, worldSpace] = await Promise.all([startNamespace(), startNamespace()])
  shellIn(
    router.pid,
    `ip link add pods0 type bridge forward_delay 0; ip link set pods0 address 0a:58:0a:00:00:01; ip address add 10.77.0.1/16 dev pods0
     ip link set lo up; ip link set pods0 up
     ip link add host0 type veth peer name host1 netns ${worldSpace.pid}; ip address add 10.77.255.253/30 dev host0; ip link set host0 up
     ip link add up0 type veth peer name up1 netns ${worldSpace.pid}; ip address add 192.0.2.2/24 dev up0; ip link set up0 up
     echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv4/conf/pods0/proxy_arp; echo 0 >/proc/sys/net/ipv4/icmp_ratelimit; echo 0 >/proc/sys/net/ipv4/neigh/pods0/proxy_delay
     for all in all pods0; do echo 0 >/proc/sys/net/ipv4/conf/$all/send_redirects; done
     for rules in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e "$rules" ] || echo 0 >"$rules"; done
     nft -f -`,
    `${networkRules}add element bridge pods networks { 10.77.0.0/16 }\n`,
  )
  shellIn(
    worldSpace.pid,
    `ip link set lo up; ip address add 10.77.255.254/30 dev host1; ip link set host1 up; ip address add ${outside}/24 dev up1; ip link set up1 up
     ip route add 10.77.0.0/16 via 10.77.255.253`,
  )
  const guests = await Promise.all(
    addresses.map(async (address, index) => {
      const namespace = await startNamespace()
      const mac = `02:00:00:00:00:0${index + 1}`
      const tap = `tap${index + 1}`
      shellIn(
        router.pid,
        `ip link add ${tap} type veth peer name eth0 netns ${namespace.pid}; ip link set ${tap} master pods0 up; nft -f -`,
        `add element bridge pods senders { "${tap}" . ${mac} }
         add element bridge pods sources { "${tap}" . ${mac} . ${address} }
         add element bridge pods owners { "${tap}" : ${addressMark(address)} }`,
      )
      shellIn(
        namespace.pid,
        `ip link set lo up; ip link set eth0 address ${mac} up; ip address add ${address}/16 brd + dev eth0; ip route add default via 10.77.0.1`,
      )
      return new Host(namespace, address, ports).ready()
    }),
  )
  return new TestNetwork(router, guests, await new Host(worldSpace, outside, ports).ready())
}
