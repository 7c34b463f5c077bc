import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Interface } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { createMachineNetwork } from './machine-network.ts'
import { bridgeName } from './segment.ts'
import type { GuestCards, GuestLauncher, GuestNetwork } from '../guest-network.ts'

const rulesFile = new URL('../../../../machine/network/pod-network.nft', import.meta.url)

/** Network namespaces, taps and nftables need root and their programs. */
const cannot =
  spawnSync('unshare', ['--net', '/bin/sh', '-c', `ip tuntap add dev t mode tap && nft -f '${rulesFile.pathname}'`]).status === 0
    ? false
    : 'this machine can have no pod network'

const subnet = (more: object): object => ({ type: 'host-local', subnet: '192.168.9.0/29', ...more })

/** Configurations of NetworkAttachmentDefinitions. */
const configs: Readonly<Record<string, string>> = {
  red: JSON.stringify({ type: 'bridge', bridge: 'red', isGateway: true, ipMasq: true, mtu: 1400, ipam: subnet({}) }),
  // The same subnet on another bridge.
  copy: JSON.stringify({
    type: 'bridge',
    bridge: 'copy',
    macspoofchk: true,
    portIsolation: true,
    ipam: subnet({ rangeStart: '192.168.9.3' }),
  }),
  routed: JSON.stringify({ type: 'bridge', bridge: 'routed', isGateway: true, ipam: subnet({}) }),
  flat: JSON.stringify({ cniVersion: '0.3.1', plugins: [{ type: 'cnv-bridge', bridge: 'flat', vlan: 7 }, { type: 'tuning' }] }),
  far: JSON.stringify({ type: 'macvlan', master: 'eth0' }),
}

/** A network namespace with a bridge and empty sets. */
function network(t: TestContext): {
  readonly directory: string
  readonly onNode: (nodeName: string) => GuestNetwork
  /** Ports of a bridge. */
  readonly taps: (bridge?: string) => string[]
  readonly within: (command: string) => string
} {
  const directory = mkdtempSync(join(tmpdir(), 'network-'))
  const namespace = join(directory, 'namespace')
  for (const folder of ['dhcp', 'hosts', 'options']) mkdirSync(join(directory, folder))
  writeFileSync(namespace, '')
  const within = (command: string): string => {
    const { status, stdout, stderr } = spawnSync('nsenter', [`--net=${namespace}`, '--', '/bin/sh', '-c', command], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout
  }
  assert.equal(spawnSync('unshare', [`--net=${namespace}`, 'true']).status, 0)
  t.after(() => {
    spawnSync('umount', [namespace])
    rmSync(directory, { recursive: true, force: true })
  })
  within(`ip link add pods0 type bridge; nft -f '${rulesFile.pathname}'`)
  return {
    directory,
    within,
    onNode: (nodeName) =>
      createMachineNetwork({
        directory,
        nodeName,
        clock: systemClock,
        addresses: join(directory, 'addresses'),
        definition: async ({ name }) => (configs[name] === undefined ? undefined : { metadata: { name }, spec: { config: configs[name] } }),
      }),
    taps: (bridge = 'pods0') =>
      within(`ip -br link show master ${bridge}`)
        .split('\n')
        .flatMap((line) => line.split(/[ @]/)[0] || [])
        .toSorted(),
  }
}

function cardsOf(podUid: string, name: string, address: string, mac: string): GuestCards {
  const card: Interface = { name: 'default', model: 'virtio', mac, backend: { kind: 'tap', device: '' } }
  const vmi = { metadata: { name, namespace: 'team' }, spec: { domain: { devices: {} } } } as unknown as VirtualMachineInstance
  return { launcher: launcherOf(podUid), vmi, address, interfaces: [card] }
}

/** A card on the network of a definition. */
function onNetwork(podUid: string, name: string, networkName: string, mac: string): GuestCards {
  const cards = cardsOf(podUid, name, '10.115.1.1', mac)
  return { ...cards, vmi: { ...cards.vmi, spec: { ...cards.vmi.spec, networks: [{ name: 'default', multus: { networkName } }] } } }
}

const launcherOf = (podUid: string): GuestLauncher => ({ podUid, recordDirectory: '', process: undefined })

const macOf = (index: number): string => `02:00:00:00:00:${index.toString(16).padStart(2, '0')}`

suite('createMachineNetwork()', { skip: cannot }, () => {
  test('attaches many guests at once, each whole, and leaves nothing of them', async (t) => {
    const { directory, onNode, taps } = network(t)
    const own = onNode('n1')
    const guests = Array.from({ length: 16 }, (_, index) => cardsOf(`pod-${index}`, `vm-${index}`, `10.115.1.${index + 1}`, macOf(index)))
    await Promise.all(guests.map((guest) => own.attach(guest)))
    assert.equal(taps().length, 16)
    for (const [index, { address }] of guests.entries())
      assert.equal(
        readFileSync(join(directory, 'dhcp', address), 'utf8'),
        `${macOf(index)},set:team,set:card-${address},${address},vm-${index},infinite\n`,
      )
    // Attached again, as by an agent that was killed.
    await own.attach(guests[0] as GuestCards)
    await Promise.all(guests.map(({ launcher }) => own.detach(launcher.podUid)))
    assert.deepEqual([taps(), readdirSync(join(directory, 'cards'))], [[], []])
    await own.detach('pod-0')
  })

  test('refuses a MAC address that another guest has, and lets a migration have it twice', async (t) => {
    const { onNode, taps } = network(t)
    const [source, target] = [onNode('n1'), onNode('n2')]
    await source.attach(cardsOf('old', 'web', '10.115.1.1', macOf(1)))
    await assert.rejects(
      target.attach(cardsOf('other', 'thief', '10.115.1.2', macOf(1))),
      /02:00:00:00:00:01 of interface "default" belongs to VMI team\/web/,
    )
    await target.attach(cardsOf('new', 'web', '10.115.1.1', macOf(1)))
    assert.equal(taps().length, 2)
    await source.detach('old')
    assert.equal(taps().length, 1)
  })

  test('removes what is left of guests of its own node', async (t) => {
    const { onNode, taps } = network(t)
    await onNode('n1').attach(cardsOf('gone', 'a', '10.115.1.1', macOf(1)))
    await onNode('n1').attach(cardsOf('alive', 'b', '10.115.1.2', macOf(2)))
    await onNode('n2').attach(cardsOf('elsewhere', 'c', '10.115.1.3', macOf(3)))
    await onNode('n1').resume([launcherOf('alive')])
    assert.equal(taps().length, 2)
  })

  test('makes the networks of definitions, whose guests keep their addresses', async (t) => {
    const { directory, onNode, taps, within } = network(t)
    const own = onNode('n1')
    const addressOf = async (podUid: string): Promise<string | undefined> =>
      (await own.addressesOf(launcherOf(podUid), ['default'])).get('default')
    // One of six addresses is the router's.
    const guests = ['a', 'b', 'c', 'd', 'e'].map((name, index) => onNetwork(`pod-${name}`, name, 'red', macOf(index)))
    for (const guest of guests) await own.attach(guest)
    const addresses = await Promise.all(guests.map(({ launcher }) => addressOf(launcher.podUid)))
    assert.deepEqual(new Set(addresses), new Set([2, 3, 4, 5, 6].map((number) => `192.168.9.${number}`)))
    await assert.rejects(own.attach(onNetwork('pod-f', 'f', 'red', macOf(9))), /no address of 192\.168\.9\.0\/29 is left/)
    const bridge = bridgeName('red')
    assert.equal(taps(bridge).length, 5)
    assert.match(within(`ip address show ${bridge}`), /mtu 1400 .*192\.168\.9\.1\/29/s)
    const [first = ''] = addresses
    const leases = join(directory, 'networks', bridge)
    assert.equal(readFileSync(join(leases, 'dhcp', first), 'utf8'), `${macOf(0)},set:card-${first},${first},a,infinite\n`)
    assert.equal(
      readFileSync(join(leases, 'options', `card-${first}`), 'utf8'),
      `tag:card-${first},option:router\ntag:card-${first},option:mtu,1400\n`,
    )
    await own.detach('pod-a')
    await onNode('n2').attach(onNetwork('pod-g', 'a', 'red', macOf(0)))
    assert.equal(await addressOf('pod-g'), first, 'the VM has its address again')
  })

  test('keeps networks apart, and applies their rules', async (t) => {
    const { onNode, taps, within } = network(t)
    const own = onNode('n1')
    for (const [index, name] of ['red', 'copy', 'flat'].entries()) await own.attach(onNetwork(`pod-${name}`, name, name, macOf(index)))
    assert.deepEqual(
      ['red', 'copy', 'flat.7'].map((segment) => taps(bridgeName(segment)).length),
      [1, 1, 1],
    )
    const [copyTap = ''] = taps(bridgeName('copy'))
    const set = (name: string): number => within(`nft list set bridge pods ${name}`).split('"tap').length - 1
    assert.deepEqual([set('plugged'), set('checked'), set('leased'), set('senders')], [3, 1, 2, 1])
    assert.match(within(`bridge -d link show dev ${copyTap}`), /isolated on/)
    assert.match(within('nft list set ip pods masqueraded'), new RegExp(bridgeName('red')))
    await assert.rejects(
      own.attach(onNetwork('x', 'x', 'routed', macOf(8))),
      /another network of this machine has a router in 192\.168\.9\.0\/29/,
    )
    for (const name of ['red', 'copy', 'flat']) await own.detach(`pod-${name}`)
    assert.deepEqual([set('plugged'), set('checked'), set('leased'), set('senders')], [0, 0, 0, 0])
  })

  test('says what is wrong with a definition', async (t) => {
    const own = network(t).onNode('n1')
    await assert.rejects(
      own.attach(onNetwork('x', 'x', 'far', macOf(1))),
      /NetworkAttachmentDefinition "team\/far": type "macvlan" is not supported/,
    )
    await assert.rejects(
      own.attach(onNetwork('x', 'x', 'other/gone', macOf(1))),
      /NetworkAttachmentDefinition "other\/gone" does not exist/,
    )
  })
})
