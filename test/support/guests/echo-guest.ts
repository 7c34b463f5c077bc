import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { findGuests, type RunningGuest } from '#machine/guests/running-guests.ts'
import { demoVirtualMachine } from '../manifests.ts'
import type { TestMachine } from '../machine.ts'

/** A response of a guest, with the guest's clock. */
interface Answer {
  /** Time of arrival, in milliseconds of the machine's monotonic clock. */
  readonly atMs: number
  /** Uptime of the guest in seconds, by its own clock. */
  readonly uptime: number
  /** Boot ID from the guest's kernel. */
  readonly boot: string
}

/** Milliseconds between two requests to a guest. */
const askEveryMs = 100
/** Timeout of a request. The next one uses a new connection. */
const patienceMs = 2_000
/**
 * Shell commands of the guest: a service that returns each line with the uptime and the boot ID.
 */
const program = [
  'ip addr add 10.0.2.15/24 dev eth0',
  'ip link set eth0 up',
  String.raw`printf '#!/bin/sh\nread -r boot </proc/sys/kernel/random/boot_id\nwhile read -r line; do read -r up _ </proc/uptime; echo "$line $up $boot"; done\n' >/tmp/answer`,
  'chmod +x /tmp/answer',
  '(nc -ll -p 7 -e /tmp/answer >/dev/null 2>&1 &)',
].join('; ')

function echoVirtualMachine(name: string): object {
  const vm = JSON.parse(demoVirtualMachine(name, { memory: '80Mi' })) as {
    spec: { template: { spec: { networks?: object[]; domain: { devices: object } } } }
  }
  const { spec } = vm.spec.template
  spec.networks = [{ name: 'pod', pod: {} }]
  spec.domain.devices = { autoattachGraphicsDevice: false, interfaces: [{ name: 'pod', masquerade: {} }] }
  return vm
}

/**
 * A guest that is queried over TCP ten times a second, on whichever node it runs. Disposal stops
 * the queries.
 */
export class EchoGuest implements Disposable {
  readonly name: string
  readonly answers: Answer[] = []
  readonly #home: string
  readonly #stop = new AbortController()

  private constructor(home: string, name: string) {
    this.#home = home
    this.name = name
  }

  /**
   * Creates VMs that boot concurrently, starts the service in each guest, and begins to query them.
   */
  static async startAll(machine: TestMachine, names: readonly string[]): Promise<EchoGuest[]> {
    const items = names.map(echoVirtualMachine)
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    const guests: EchoGuest[] = []
    for (const name of names) {
      await machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=300s'])
      await machine.inGuest(program, name)
      const guest = new EchoGuest(machine.home, name)
      void guest.#ask()
      guests.push(guest)
    }
    return guests
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  /**
   * Returns the longest time without a response since a time of the monotonic clock, in
   * milliseconds.
   */
  longestGapMs(sinceMs: number): number {
    const times = [sinceMs, ...this.answers.map(({ atMs }) => atMs).filter((atMs) => atMs > sinceMs), performance.now()]
    return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)))
  }

  /** Asserts that the guest was never restarted, and that its clock never went back. */
  assertSteady(): void {
    assert.ok(this.answers.length > 0, `${this.name} has never answered`)
    assert.equal(new Set(this.answers.map(({ boot }) => boot)).size, 1, `${this.name} was started again`)
    const back = this.answers.findIndex(({ uptime }, index) => uptime < (this.answers[index - 1]?.uptime ?? 0))
    assert.equal(back, -1, `the clock of ${this.name} went back`)
  }

  async #ask(): Promise<void> {
    const asked = new Map<number, Promise<void>>()
    while (!this.#stop.signal.aborted) {
      // During a migration there are two, and only the guest itself shows in which one it runs.
      for (const found of runningGuests(this.#home).filter(({ name }) => name === this.name)) {
        const { pid } = found.process
        if (asked.has(pid)) continue
        const asking = this.#askOne(found).catch(() => {})
        asked.set(
          pid,
          asking.then(() => void asked.delete(pid)),
        )
      }
      await sleep(askEveryMs)
    }
  }

  /** Queries one QEMU until it does not answer. */
  async #askOne(found: RunningGuest): Promise<void> {
    const socket = await this.#connect(found)
    try {
      for (let count = 0; !this.#stop.signal.aborted; count++) {
        const line = await answerOf(socket, String(count))
        const [said, uptime, boot = ''] = line.split(' ')
        if (said === String(count)) this.answers.push({ atMs: performance.now(), uptime: Number(uptime), boot })
        await sleep(askEveryMs)
      }
    } finally {
      socket.destroy()
    }
  }

  async #connect({ monitorSocket = '' }: RunningGuest): Promise<Socket> {
    const port = await freePort()
    const monitor = connect(monitorSocket)
    const forward = { 'command-line': `hostfwd_add net-pod tcp:127.0.0.1:${port}-10.0.2.15:7` }
    const commands = [{ execute: 'qmp_capabilities' }, { execute: 'human-monitor-command', arguments: forward }]
    monitor.write(commands.map((command) => `${JSON.stringify(command)}\n`).join(''))
    try {
      // The greeting, and an answer to each.
      for (let received = ''; received.split('\n').length < 4;) received += String(await dataOf(monitor))
    } finally {
      monitor.destroy()
    }
    return connect(port, '127.0.0.1')
  }
}

/**
 * Milliseconds for which the list of processes is cached: reading it is too expensive for each
 * guest.
 */
const lookEveryMs = 400
const looks = new Map<string, { readonly atMs: number; readonly found: readonly RunningGuest[] }>()

function runningGuests(home: string): readonly RunningGuest[] {
  const last = looks.get(home)
  if (last !== undefined && performance.now() - last.atMs < lookEveryMs) return last.found
  const found = findGuests(home)
  looks.set(home, { atMs: performance.now(), found })
  return found
}

async function answerOf(socket: Socket, line: string): Promise<string> {
  socket.write(`${line}\n`)
  let received = ''
  while (!received.includes('\n')) received += String(await dataOf(socket))
  return received.trim()
}

function dataOf(socket: Socket): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      for (const event of ['data', 'error', 'close']) socket.removeAllListeners(event)
      socket.on('error', () => {})
      act()
    }
    const timer = setTimeout(() => settle(() => reject(new Error('no answer'))), patienceMs)
    socket.once('data', (data) => settle(() => resolve(data)))
    for (const event of ['error', 'close']) socket.once(event, () => settle(() => reject(new Error('closed'))))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
