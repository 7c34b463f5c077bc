import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Interface } from '#qemu/index.ts'
import { createMachineNetwork } from './machine-network.ts'
import type { GuestCards, GuestLauncher, GuestNetwork } from './guest-network.ts'

const rules =
  'add table bridge pods; add set bridge pods senders { type ifname . ether_addr; }; add set bridge pods sources { type ifname . ether_addr . ipv4_addr; }'

/** Network namespaces, taps and nftables need root and their programs. */
const cannot =
  spawnSync('unshare', ['--net', '/bin/sh', '-c', `ip tuntap add dev t mode tap && nft '${rules}'`]).status === 0
    ? false
    : 'this machine can have no pod network'

/** A network namespace with a bridge and empty sets. */
function network(t: TestContext): {
  readonly directory: string
  readonly onNode: (nodeName: string) => GuestNetwork
  readonly taps: () => string[]
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
  within(`ip link add pods0 type bridge; nft '${rules}'`)
  return {
    directory,
    onNode: (nodeName) => createMachineNetwork({ directory, nodeName }),
    taps: () =>
      within('ip -br link show master pods0')
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
})
