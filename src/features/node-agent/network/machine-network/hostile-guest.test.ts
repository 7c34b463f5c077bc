import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { networkRules, noNetwork, shellIn, startNamespace } from '#runtime/network/network-namespace.fixture.ts'
import { addressMark } from '#runtime/network/network-namespace.ts'
import { joinBridge, permit } from './card-rules.ts'

/** A guest of the pod network of machine mode: a namespace behind a port with the name of a tap. */
class Guest {
  readonly pid: number
  readonly mac: string
  readonly address: string
  constructor({ pid = 0 }: ChildProcess, number: number) {
    this.pid = pid
    this.mac = `02:00:00:00:00:0${number}`
    this.address = `10.77.0.${number}`
  }

  shell(command: string): string {
    return shellIn(this.pid, command)
  }

  /** Starts a program of Node, which has a UDP socket and prints `count` on SIGTERM. */
  run(program: string): Program {
    const prelude = `const socket = require('node:dgram').createSocket({ type: 'udp4', reuseAddr: true }); socket.on('error', () => {}); let count = 0;
      const end = () => { console.log(count); process.exit() }; process.on('SIGTERM', end);`
    const command = [`--net=/proc/${this.pid}/ns/net`, process.execPath, '-e', prelude + program]
    return new Program(spawn('nsenter', command, { stdio: ['ignore', 'pipe', 'inherit'] }))
  }

  /** Counts datagrams that arrive at a port, until it is stopped. */
  async receive(port: number): Promise<Program> {
    const program = this.run(`socket.on('message', () => count++).bind(${port}, () => console.log('ready'))`)
    await program.ready
    return program
  }

  /** Sends ten datagrams. */
  async send(to: string, port: number, from: { readonly address?: string; readonly port?: number } = {}): Promise<void> {
    await this.run(`socket.bind(${from.port ?? 0}, '${from.address ?? '0.0.0.0'}', async () => {
      for (; count < 10; count++) { socket.send('x', ${port}, '${to}'); await new Promise((done) => setTimeout(done, 10)) }
      end() })`).count
  }
}

/** A program in the namespace of a guest. */
class Program {
  readonly ready: Promise<unknown>
  /** Resolves at its end to what it has counted. */
  readonly count: Promise<number>
  readonly #child: ChildProcess

  constructor(child: ChildProcess & { readonly stdout: NodeJS.ReadableStream }) {
    this.#child = child
    this.ready = once(child.stdout, 'data')
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    this.count = once(child, 'close').then(() => Number(text.trim().split('\n').at(-1)))
  }

  async stop(): Promise<number> {
    // What has been sent arrives meanwhile.
    await sleep(100)
    this.#child.kill('SIGTERM')
    return this.count
  }
}

suite('a guest that means harm', { skip: noNetwork }, () => {
  const children: ChildProcess[] = []
  let [attacker, victim, friend] = [] as unknown as [Guest, Guest, Guest]
  before(async () => {
    children.push(await startNamespace())
    const within = (command: string, input = ''): string => shellIn(children[0]?.pid, command, input)
    // As pod-network.sh: what guests send to each other does not pass the rules of the router.
    const aside = 'for rules in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e "$rules" ] || echo 0 >"$rules"; done'
    within(`ip link add pods0 type bridge forward_delay 0; ip link set pods0 up; ${aside}; nft -f -`, networkRules)
    const guests: Guest[] = []
    for (const number of [1, 2, 3]) {
      const child = await startNamespace()
      children.push(child)
      const guest = new Guest(child, number)
      const tap = `tap${number}`
      within(
        `${joinBridge}ip link add ${tap} type veth peer name eth0 netns ${guest.pid}; join_bridge ${tap} pods0; nft -f -`,
        // No NetworkPolicy selects it.
        `${permit({ tap, mac: guest.mac, address: guest.address })}add element bridge pods open { ${addressMark(guest.address)} }\n`,
      )
      guest.shell(
        `ip link set eth0 address ${guest.mac}; ip addr add ${guest.address}/24 brd + dev eth0; ip link set lo up; ip link set eth0 up`,
      )
      guests.push(guest)
    }
    ;[attacker, victim, friend] = guests as [Guest, Guest, Guest]
  })
  after(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  /** Datagrams that the victim gets of ten that a guest sends. */
  const arrived = async (sender: Guest, ...args: Parameters<Guest['send']>): Promise<number> => {
    const receiver = await victim.receive(args[1])
    await sender.send(...args)
    return receiver.stop()
  }

  /** Datagrams that a guest sends without a pause until it is stopped. */
  const floodFrom = async (sender: Guest, to: string): Promise<Program> => {
    const flood = sender.run(`socket.bind(() => { socket.setBroadcast(true);
      const more = () => { for (let i = 0; i < 100; i++) socket.send('x', 9, '${to}', () => {}), count++; setTimeout(more, 1) }; more(); console.log('ready') })`)
    await flood.ready
    return flood
  }
  /** Frames that the victim's card has received. */
  const framesOf = (guest: Guest): number => Number(/eth0: *\d+ +(\d+)/.exec(guest.shell('cat /proc/net/dev'))?.[1])

  for (const [kind, group] of [
    ['broadcasts', '10.77.0.255'],
    ['multicasts', '224.0.0.1'],
  ] as const)
    test(`cannot flood other guests: its ${kind} are cut, and others go on`, async () => {
      if (group.startsWith('224')) attacker.shell(`ip route replace ${group} dev eth0`)
      const before = framesOf(victim)
      const flood = await floodFrom(attacker, group)
      assert.equal(await arrived(friend, victim.address, 10), 10)
      await sleep(1_000)
      const [sent, received] = [await flood.stop(), framesOf(victim) - before]
      assert.ok(sent > 5_000, `it sent ${sent}`)
      // A burst of 400, and 200 per second.
      assert.ok(received > 0 && received < 1_500, `${received} of ${sent} arrived`)
    })

  test('does not reach all guests by the address of none', async () => {
    attacker.shell('ip neigh replace 10.77.0.99 lladdr 02:00:00:00:00:99 dev eth0; ip route replace 203.0.113.9 via 10.77.0.99 dev eth0')
    assert.equal(await arrived(friend, victim.address, 10), 10)
    const before = framesOf(victim)
    const flood = await floodFrom(attacker, '203.0.113.9')
    await sleep(200)
    const [sent, received] = [await flood.stop(), framesOf(victim) - before]
    assert.ok(sent > 500, `it sent ${sent}`)
    assert.ok(received < 50, `${received} of ${sent} arrived`)
  })

  test('is no DHCP server', async () => {
    assert.equal(await arrived(attacker, victim.address, 68, { port: 67 }), 0)
    assert.equal(await arrived(attacker, victim.address, 68, { port: 1067 }), 10)
  })

  test('cannot take the address of another guest, by IP or by ARP', async () => {
    attacker.shell(`ip addr add ${friend.address}/32 dev eth0`)
    try {
      assert.equal(await arrived(attacker, victim.address, 11, { address: friend.address }), 0)
      // The friend would answer as well.
      friend.shell('ip link set eth0 down')
      victim.shell('ip neigh flush dev eth0')
      await victim.send(friend.address, 12)
      assert.doesNotMatch(victim.shell('ip neigh show dev eth0'), new RegExp(attacker.mac))
      friend.shell('ip link set eth0 up')
      assert.equal(await arrived(friend, victim.address, 11), 10)
    } finally {
      attacker.shell(`ip addr del ${friend.address}/32 dev eth0`)
    }
  })

  test('cannot take the MAC address of another guest', async () => {
    attacker.shell(`ip link set eth0 address ${friend.mac}`)
    try {
      assert.equal(await arrived(attacker, victim.address, 13), 0)
      // What the victim answers still goes to the friend.
      const receiver = await friend.receive(14)
      await victim.send(friend.address, 14)
      assert.equal(await receiver.stop(), 10)
    } finally {
      attacker.shell(`ip link set eth0 address ${attacker.mac}`)
    }
    assert.equal(await arrived(attacker, victim.address, 13), 10)
  })
})
