import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Interface as VmiInterface } from '#api/kubevirt/v1/domain/interface.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { identify, type Interface } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import type { GuestCards, GuestNetwork } from '../guest-network.ts'
import { podInterfaceName } from '#features/network-attachment/index.ts'
import { bindingOf, type BindingKind } from './binding.ts'
import { createLauncherNetwork, resolverOf } from './launcher-network.ts'

const pod = { name: 'eth0', mtu: 1450, address: '10.244.1.5', prefix: 24, gateway: '10.244.1.1', routes: [] }
const secondaryBridge = `k6t-${podInterfaceName('default').slice('pod'.length)}`
const guestMac = '02:00:00:00:00:09'
const probe = bindingOf({ kind: 'masquerade', pod, tap: 'tap0', queueFlag: '', mac: guestMac, user: 0, open: undefined, reserved: [49152] })

/** Network namespaces, taps and nftables need root and their programs. */
const cannot =
  spawnSync('unshare', ['--net', '/bin/sh', '-ec', probe.script, 'sh', ...probe.args], { input: probe.rules }).status === 0 &&
  spawnSync('dnsmasq', ['--version']).status === 0 &&
  spawnSync('busybox', ['udhcpc', '--help']).status === 0
    ? false
    : 'this machine can have no pod network'

/** A node, a pod of it with an interface as network plugins make it, and a guest of the pod. */
class Place implements Disposable {
  readonly recordDirectory = mkdtempSync(join(tmpdir(), 'launcher-network-'))
  readonly #processes: ChildProcess[] = []
  readonly #networks: GuestNetwork[] = []
  readonly node: number
  readonly launcher: number
  readonly guest: number

  constructor() {
    const namespace = (): number => {
      const child = spawn('unshare', ['--net', 'sleep', '1000'], { stdio: 'ignore' })
      this.#processes.push(child)
      return child.pid ?? 0
    }
    ;[this.node, this.launcher, this.guest] = [namespace(), namespace(), namespace()]
  }

  async setUp(): Promise<void> {
    // unshare needs a moment to leave the namespace of the test.
    const namespaceOf = (pid: number | 'self'): string => readlinkSync(`/proc/${pid}/ns/net`)
    const isOut = (pid: number): boolean => namespaceOf(pid) !== namespaceOf('self')
    while (![this.node, this.launcher, this.guest].every(isOut)) await sleep(20)
    this.run(
      this.node,
      `ip link add link0 type veth peer name eth0 netns ${this.launcher}; ip link add pods type bridge forward_delay 0; ip link set link0 master pods up
      ip link set link0 type bridge_slave hairpin on; ip address add 10.244.1.1/24 dev pods; ip link set pods up`,
    )
    this.run(
      this.launcher,
      'ip link set lo up; ip link set eth0 mtu 1450 up; ip address add 10.244.1.5/24 dev eth0; ip route add default via 10.244.1.1; ip route add 10.96.0.0/16 via 10.244.1.1',
    )
  }

  /** Returns a network, as that of another process. */
  network(): GuestNetwork {
    const network = createLauncherNetwork({ user: 0, clock: systemClock, log: silentLogger })
    this.#networks.push(network)
    return network
  }

  cards(kind: BindingKind, more: Partial<VmiInterface> = {}): GuestCards {
    const card: Interface = { name: 'default', model: 'virtio', mac: guestMac, backend: { kind: 'tap', device: '' } }
    const interfaces = [{ name: 'default', [kind]: {}, ...more }]
    const vmi = { metadata: { name: 'web', namespace: 'team' }, spec: { domain: { devices: { interfaces } } } }
    return {
      launcher: { podUid: 'u1', recordDirectory: this.recordDirectory, process: identify(this.launcher) },
      vmi: vmi as unknown as VirtualMachineInstance,
      address: '10.244.1.5',
      interfaces: [card],
    }
  }

  /** Cards on the network "blue" of Multus, which has given the pod its interface. */
  secondary(address?: string): GuestCards {
    const link = podInterfaceName('default')
    this.run(this.launcher, `ip link set eth0 name ${link}; ip address flush dev ${link}; ip link set ${link} address ${guestMac} up`)
    if (address !== undefined) this.run(this.launcher, `ip address add ${address} dev ${link}`)
    const cards = this.cards('bridge')
    const networks = [{ name: 'default', multus: { networkName: 'blue' } }]
    return { ...cards, address: '10.9.9.9', vmi: { ...cards.vmi, spec: { ...cards.vmi.spec, networks } } }
  }

  /** Plugs the guest in at its bridge, and returns what DHCP tells it; undefined without answer. */
  async lease(bridge: string = 'k6t-eth0'): Promise<Record<string, string> | undefined> {
    const script = join(this.recordDirectory, randomUUID())
    const apply = 'ip address replace "$ip/$mask" dev card0; for via in $router; do ip route replace default via $via; done'
    writeFileSync(script, `#!/bin/sh\ncase $1 in bound) ${apply}; env;; esac\n`, { mode: 0o755 })
    const exists = spawnSync('nsenter', [`--net=/proc/${this.guest}/ns/net`, 'ip', 'link', 'show', 'card0']).status === 0
    if (!exists) {
      this.run(this.launcher, `ip link add card type veth peer name card0 netns ${this.guest}; ip link set card master ${bridge} up`)
      this.run(this.guest, `ip link set card0 address ${guestMac} up`)
    }
    const client = [
      'busybox',
      'udhcpc',
      '-i',
      'card0',
      '-n',
      '-q',
      '-f',
      '-t',
      '20',
      '-T',
      '1',
      '-O',
      'mtu',
      '-O',
      'staticroutes',
      '-O',
      'ntpsrv',
      '-O',
      'bootfile',
      '-s',
      script,
    ]
    // Meanwhile this process may have to hand over the server's configuration.
    const stdout = await new Promise<string>((resolve) => {
      execFile('nsenter', [`--net=/proc/${this.guest}/ns/net`, ...client], (_error, output) => resolve(output))
    })
    if (!stdout.includes('ip=')) return undefined
    return Object.fromEntries(stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  }

  run(pid: number, command: string): string {
    const { status, stdout, stderr } = spawnSync('nsenter', [`--net=/proc/${pid}/ns/net`, '/bin/sh', '-ec', command], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout
  }

  /** Serves a port in a namespace: answers the address that a client comes from. */
  async serve(pid: number, port: number, name: string): Promise<void> {
    const program = `require('node:net').createServer((s) => s.end(${JSON.stringify(name)} + ' ' + s.remoteAddress)).listen(${port}, '0.0.0.0', () => console.log('ready'))`
    const child = spawn('nsenter', [`--net=/proc/${pid}/ns/net`, process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#processes.push(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
  }

  /** Returns the answer of a port. */
  ask(pid: number, address: string, port: number): string {
    return spawnSync('nsenter', [`--net=/proc/${pid}/ns/net`, 'busybox', 'nc', '-w', '3', address, String(port)], {
      encoding: 'utf8',
      input: '',
    }).stdout
  }

  [Symbol.dispose](): void {
    for (const network of this.#networks) network[Symbol.dispose]()
    for (const child of this.#processes) child.kill('SIGKILL')
    rmSync(this.recordDirectory, { recursive: true, force: true })
  }
}

async function place(): Promise<Place> {
  const made = new Place()
  await made.setUp()
  return made
}

suite('createLauncherNetwork()', { skip: cannot }, () => {
  test('masquerade: the guest has an address of its own, and is reached at that of its pod', { timeout: 60_000 }, async () => {
    using net = await place()
    const cards = net.cards('masquerade', { dhcpOptions: { ntpServers: ['10.0.0.9'], bootFileName: 'a.efi' } })
    await net.network().attach(cards)
    // As by an agent that was killed before it recorded the launch.
    await net.network().attach(cards)
    const { ip, mask, router, mtu, hostname, ntpsrv, bootfile } = (await net.lease()) ?? {}
    assert.deepEqual([ip, mask, router, mtu, hostname], ['10.0.2.2', '24', '10.0.2.1', '1450', 'web'])
    assert.deepEqual([ntpsrv, bootfile], ['10.0.0.9', 'a.efi'])
    await net.serve(net.guest, 80, 'guest')
    await net.serve(net.launcher, 49_152, 'qemu')
    await net.serve(net.node, 80, 'node')
    assert.equal(net.ask(net.node, '10.244.1.5', 80), 'guest 10.244.1.1')
    assert.equal(net.ask(net.node, '10.244.1.5', 49_152), 'qemu 10.244.1.1', 'the pod receives migrations itself')
    assert.equal(net.ask(net.guest, '10.244.1.1', 80), 'node 10.244.1.5')
    assert.equal(net.ask(net.guest, '10.0.2.1', 49_152), '', 'the guest does not reach its QEMU')
    net.run(net.guest, 'ip address add 10.0.2.77/24 dev card0')
    const spoofed = ['busybox', 'ping', '-c', '1', '-W', '1', '-I', '10.0.2.77', '10.244.1.1']
    assert.notEqual(spawnSync('nsenter', [`--net=/proc/${net.guest}/ns/net`, ...spoofed]).status, 0)
  })

  test('masquerade: only the ports that are listed are passed on', { timeout: 60_000 }, async () => {
    using net = await place()
    const portRanges = [{ protocol: 'TCP', start: 8000, end: 8001 }]
    await net.network().attach(net.cards('masquerade', { portRanges }))
    assert.equal((await net.lease())?.['ip'], '10.0.2.2')
    for (const port of [8001, 8002]) await net.serve(net.guest, port, 'guest')
    assert.deepEqual(
      [8001, 8002].map((port) => net.ask(net.node, '10.244.1.5', port)),
      ['guest 10.244.1.1', ''],
    )
  })

  test("bridge: the guest takes the pod's address over, with its routes", { timeout: 60_000 }, async () => {
    using net = await place()
    await net.network().attach(net.cards('bridge'))
    // The interface has lost its address, which the next agent finds in its record.
    await net.network().attach(net.cards('bridge'))
    const { ip, mask, router, staticroutes = '' } = (await net.lease()) ?? {}
    assert.deepEqual([ip, mask, router], ['10.244.1.5', '24', '10.244.1.1'])
    assert.equal(staticroutes, '10.96.0.0/16 10.244.1.1 0.0.0.0/0 10.244.1.1')
    await net.serve(net.guest, 80, 'guest')
    await net.serve(net.node, 80, 'node')
    assert.equal(net.ask(net.guest, '10.244.1.1', 80), 'node 10.244.1.5')
    assert.equal(net.ask(net.node, '10.244.1.5', 80), 'guest 10.244.1.1')
  })

  test('bridge: a pod with an address without a network has a route to its router', { timeout: 60_000 }, async () => {
    using net = await place()
    net.run(
      net.launcher,
      'ip addr flush dev eth0; ip addr add 10.244.1.5/32 dev eth0; ip route add 169.254.1.1 dev eth0; ip route add default via 169.254.1.1 dev eth0',
    )
    await net.network().attach(net.cards('bridge'))
    const { ip, mask, staticroutes = '' } = (await net.lease()) ?? {}
    assert.deepEqual([ip, mask], ['10.244.1.5', '32'])
    assert.match(staticroutes, /^169\.254\.1\.1\/32 0\.0\.0\.0 .*0\.0\.0\.0\/0 169\.254\.1\.1$/)
  })

  test('the next agent serves DHCP again, and an agent that ends leaves no server', { timeout: 60_000 }, async () => {
    using net = await place()
    const untilNotServed = async (): Promise<void> => {
      while (net.run(net.launcher, 'ss -lun').includes(':67 ')) await sleep(20)
    }
    const cards = net.cards('masquerade')
    const first = net.network()
    await first.attach(cards)
    assert.equal((await net.lease())?.['ip'], '10.0.2.2')
    first[Symbol.dispose]()
    await untilNotServed()
    const second = net.network()
    await second.resume([cards.launcher])
    assert.equal((await net.lease())?.['ip'], '10.0.2.2')
    await second.detach('u1')
    await untilNotServed()
  })

  test('a network of Multus: the guest takes the place of the interface, with its address', { timeout: 60_000 }, async () => {
    using net = await place()
    const cards = net.secondary('10.244.1.7/24')
    await net.network().attach(cards)
    await net.network().attach(cards)
    const { ip, mask, router } = (await net.lease(secondaryBridge)) ?? {}
    assert.deepEqual([ip, mask, router], ['10.244.1.7', '24', undefined])
    assert.deepEqual(await net.network().addressesOf(cards.launcher, ['default', 'other']), new Map([['default', '10.244.1.7']]))
    await net.serve(net.guest, 80, 'guest')
    assert.match(net.ask(net.node, '10.244.1.7', 80), /^guest /)
  })

  test('a network of Multus without addresses is left to the guest', { timeout: 60_000 }, async () => {
    using net = await place()
    const cards = net.secondary()
    await net.network().attach(cards)
    const bridge = secondaryBridge
    assert.equal(net.run(net.launcher, 'ss -lun').includes(':67 '), false)
    net.run(net.launcher, `ip link add card type veth peer name card0 netns ${net.guest}; ip link set card master ${bridge} up`)
    net.run(net.guest, `ip link set card0 address ${guestMac} up; ip address add 10.244.1.9/24 dev card0`)
    net.run(net.guest, 'busybox ping -c 1 -W 5 10.244.1.1')
  })

  test('says which network Multus has not attached', async () => {
    using net = await place()
    const cards = net.cards('bridge')
    const networks = [{ name: 'default', multus: { networkName: 'other/blue' } }]
    const attached = net.network().attach({ ...cards, vmi: { ...cards.vmi, spec: { ...cards.vmi.spec, networks } } })
    await assert.rejects(attached, /no interface "pod[0-9a-f]{11}" for network "default": Multus .* "other\/blue"/)
  })

  test('says which address no interface has', async () => {
    using net = await place()
    const attached = net.network().attach({ ...net.cards('masquerade'), address: '10.244.9.9' })
    await assert.rejects(attached, /no interface of the launcher's pod has its address 10\.244\.9\.9/)
  })
})

suite('resolverOf()', () => {
  const resolvConf = 'search team.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\nnameserver fd00::a\noptions ndots:5\n'
  const metadata = { namespace: 'team' }
  const resolve = (spec: { readonly subdomain?: string }): ReturnType<typeof resolverOf> =>
    resolverOf(resolvConf, { metadata, spec } as unknown as VirtualMachineInstance)
  test('returns the name servers and the search list of the pod', () => {
    assert.deepEqual(resolve({}), { nameServers: ['10.96.0.10'], searchDomains: ['team.svc.cluster.local', 'svc.cluster.local'] })
  })
  test('begins with the subdomain', () => {
    assert.equal(resolve({ subdomain: 'db' }).searchDomains[0], 'db.team.svc.cluster.local')
  })
})
