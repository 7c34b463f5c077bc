import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test, type TestContext } from 'node:test'
import { buildArguments } from '#qemu/domain/arguments.ts'
import type { Disk, Domain } from '#qemu/domain/domain.ts'
import { bootDisk, newerQemu, startTarget, startTicking, systemQemu, temporaryFolder, ticking, until } from '#qemu/guest.fixture.ts'
import { plugVcpus } from '#qemu/hotplug/vcpus.ts'
import { resizeMemory } from '#qemu/hotplug/memory.ts'
import { move } from '#qemu/migration/guest-move.fixture.ts'
import { brokenTicks } from '#qemu/ticking-disk.fixture.ts'
import { compareFingerprints, fingerprintHash, fingerprintText, type Fingerprint } from '#qemu/fingerprint/fingerprint.ts'
import { compareLaunches } from '#qemu/fingerprint/launch-settings.ts'
import { observeFingerprint } from '#qemu/fingerprint/observe.ts'
import { rehearseFingerprint } from '#qemu/fingerprint/rehearse.ts'
import { repeats, sample } from '../support/effort.ts'

/** Number of migrations of a guest. */
const moves = repeats({ default: 1, long: 2 })

const disk: Disk = {
  name: 'data',
  path: '/nowhere/data.qcow2',
  format: 'qcow2',
  readOnly: false,
  device: 'disk',
  bus: 'virtio',
  serial: 'S1',
}
const card: Domain['interfaces'][number] = {
  name: 'a',
  model: 'virtio',
  mac: '02:00:00:00:00:01',
  backend: { kind: 'user', restrict: true },
}

/** Returns a domain with every device that needs no other process. */
function everything(folder: string): Domain {
  return ticking(folder, {
    cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 1, threads: 1, maxSockets: 3 },
    memory: { bytes: 32 << 20, maxBytes: 96 << 20 },
    hotplugPorts: 2,
    disks: [
      bootDisk(join(folder, 'boot.img')),
      disk,
      { ...disk, name: 'cd', device: 'cdrom', bus: 'sata', readOnly: true },
      { ...disk, name: 'scsi', bus: 'scsi' },
    ],
    interfaces: [card, { ...card, name: 'b', model: 'e1000e', mac: '02:00:00:00:00:02' }],
    inputs: [
      { name: 'tablet', type: 'tablet', bus: 'usb' },
      { name: 'keys', type: 'keyboard', bus: 'virtio' },
    ],
    graphics: { vncSocket: join(folder, 'vnc'), device: 'VGA' },
    guestAgentSocket: join(folder, 'agent'),
    balloon: true,
    rng: true,
    watchdog: { model: 'i6300esb', action: 'reset' },
    panicDevice: 'pci',
    sound: 'ich9',
    smbios: { system: { manufacturer: 'A', serial: '1' }, chassis: { asset: 'c' } },
  })
}

const guest = everything('/nowhere')
const withDisk = (change: Partial<Disk>): Partial<Domain> => ({
  disks: guest.disks.map((each) => (each.name === 'data' ? { ...each, ...change } : each)),
})

const visibleChanges: readonly (readonly [string, Partial<Domain>])[] = [
  ['another version of the machine', { machine: { ...guest.machine, type: 'pc-q35-7.1' } }],
  ['no ACPI', { machine: { ...guest.machine, acpi: false } }],
  ['old virtio', { machine: { ...guest.machine, virtioTransitional: true } }],
  ['another CPU model', { cpu: { ...guest.cpu, model: 'Nehalem' } }],
  ['one CPU flag more', { cpu: { ...guest.cpu, flags: ['rdrand=on'] } }],
  ['one CPU flag less', { cpu: { ...guest.cpu, flags: ['cx16=off'] } }],
  ['other sockets and cores', { cpu: { ...guest.cpu, sockets: 1, cores: 2 } }],
  ['room for more CPUs', { cpu: { ...guest.cpu, maxSockets: 4 } }],
  ['more memory', { memory: { ...guest.memory, bytes: 64 << 20 } }],
  ['room for more memory', { memory: { ...guest.memory, maxBytes: 160 << 20 } }],
  ['another MAC address', { interfaces: [{ ...card, mac: '02:00:00:00:00:09' }, ...guest.interfaces.slice(1)] }],
  ['another network card', { interfaces: [{ ...card, model: 'e1000e' }, ...guest.interfaces.slice(1)] }],
  ['moved PCI slots', { interfaces: guest.interfaces.toReversed() }],
  ['another serial number of a disk', withDisk({ serial: 'S2' })],
  ['another bus of a disk', withDisk({ bus: 'scsi' })],
  ['other blocks of a disk', withDisk({ blockSize: { logical: 4096, physical: 4096 } })],
  ['more queues of a disk', withDisk({ queues: 4 })],
  ['another boot order', withDisk({ bootOrder: 2 })],
  ['a disk without a write cache', withDisk({ cache: 'writethrough' })],
  ['a disk less', { disks: guest.disks.slice(0, 1) }],
  ['another UUID', { uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0009' }],
  ['another serial number in SMBIOS', { smbios: { ...guest.smbios, system: { manufacturer: 'A', serial: '2' } } }],
  ['no balloon', { balloon: false }],
  ['no random numbers', { rng: false }],
  ['another screen', { graphics: { vncSocket: '/nowhere/vnc', device: 'bochs-display' } }],
  ['no HPET', { clock: { ...guest.clock, hpet: false } }],
  ['a clock in local time', { clock: { ...guest.clock, base: 'localtime' } }],
  ['another sound card', { sound: 'ac97' }],
  ['more ports', { hotplugPorts: 3 }],
]

const hostChanges: readonly (readonly [string, Partial<Domain>])[] = [
  ['another name', { name: 'other' }],
  ['other sockets', { monitors: ['/elsewhere/a', '/elsewhere/b'], guestAgentSocket: '/elsewhere/agent' }],
  ['another console', { serial: { socketPath: '/elsewhere/serial', logPath: '/elsewhere/log' } }],
  ['another VNC socket', { graphics: { vncSocket: '/elsewhere/vnc', device: 'VGA' } }],
  ['another file', withDisk({ path: '/elsewhere/data.qcow2' })],
  ['another format', withDisk({ format: 'raw' })],
  ['another aio mode', withDisk({ io: 'threads' })],
  ['a dedicated I/O thread', { ioThreads: ['one'], ...withDisk({ ioThread: 'one' }) }],
  [
    'a network with access to the host',
    { interfaces: guest.interfaces.map((each) => ({ ...each, backend: { kind: 'user', restrict: false } })) },
  ],
  ['a clock that catches up', { clock: { ...guest.clock, catchUp: true } }],
  ['to be started running', { startPaused: false }],
]

suite('the fingerprint of a guest', () => {
  let original: Fingerprint
  const argumentsOf = (change: Partial<Domain> = {}): string[] => buildArguments({ ...guest, ...change })
  before(async () => {
    original = await rehearseFingerprint(systemQemu, argumentsOf())
  })

  for (const [name, change] of sample(visibleChanges, 10)) {
    test(`changes with ${name}`, async () => {
      const changed = await rehearseFingerprint(systemQemu, argumentsOf(change))
      assert.notEqual(fingerprintHash(changed), fingerprintHash(original))
      assert.notDeepEqual(compareFingerprints(original, changed), [])
      assert.ok(compareLaunches(argumentsOf(), argumentsOf(change)).some(({ visible }) => visible))
    })
  }

  for (const [name, change] of sample(hostChanges, 5)) {
    test(`does not change with ${name}`, async () => {
      const changed = await rehearseFingerprint(systemQemu, argumentsOf(change))
      assert.deepEqual(compareFingerprints(original, changed), [])
      const changes = compareLaunches(argumentsOf(), argumentsOf(change))
      assert.notDeepEqual(changes, [])
      assert.deepEqual(
        changes.filter(({ visible }) => visible),
        [],
      )
    })
  }

  test('does not change with the cache mode, unless the guest sees another write cache', async () => {
    const with_ = (cache: NonNullable<Disk['cache']>): string[] => argumentsOf(withDisk({ cache }))
    assert.deepEqual(
      compareLaunches(with_('none'), with_('writeback')).map(({ visible }) => visible),
      [false, false],
    )
    assert.deepEqual(
      compareFingerprints(await rehearseFingerprint(systemQemu, with_('none')), await rehearseFingerprint(systemQemu, with_('writeback'))),
      [],
    )
  })

  test('is the same in a newer QEMU', { skip: newerQemu.skip }, async () => {
    const there = await rehearseFingerprint(newerQemu.binary, argumentsOf())
    assert.equal(fingerprintText(there), fingerprintText(original))
  })

  async function guestWithEverything(t: TestContext): Promise<{ source: Awaited<ReturnType<typeof startTicking>>; expected: Fingerprint }> {
    const files = await temporaryFolder(t)
    for (const name of ['data', 'cd', 'scsi']) writeFileSync(join(files, name), Buffer.alloc(1 << 20))
    const source = await startTicking(t, { mebibytes: 4, pagesPerTick: 10 }, (folder) => ({
      ...everything(folder),
      disks: everything(folder).disks.map((each) =>
        each.name === 'boot' ? each : { ...each, path: join(files, each.name), format: 'raw' },
      ),
    }))
    return { source, expected: await rehearseFingerprint(systemQemu, source.arguments) }
  }

  test('of a running guest equals that of the rehearsal', async (t) => {
    const { source, expected } = await guestWithEverything(t)
    assert.equal(fingerprintText(await observeFingerprint(source.qmp, source.arguments)), fingerprintText(expected))
  })

  test('is the same after a migration to a newer QEMU, with CPUs and memory that were plugged in', { skip: newerQemu.skip }, async (t) => {
    const { source } = await guestWithEverything(t)
    await plugVcpus(source.qmp, 2)
    await resizeMemory(source.qmp, 64 << 20)
    const was = await observeFingerprint(source.qmp, source.arguments)
    const target = await startTarget(t, source, { binary: newerQemu.binary })
    const { step } = await move(source, target)
    assert.ok(step.kind === 'end' && step.outcome === 'completed', JSON.stringify(step))
    await until('the guest ticks on the target', () => target.printed().length > 5)
    assert.equal(brokenTicks(source.printed() + target.printed()), undefined)
    assert.equal(fingerprintText(await observeFingerprint(target.qmp, target.arguments)), fingerprintText(was))
  })

  test(`is the same through ${moves} migrations, half of them in a newer QEMU`, async (t) => {
    let { source } = await guestWithEverything(t)
    const was = fingerprintText(await observeFingerprint(source.qmp, source.arguments))
    for (let count = 0; count < moves; count++) {
      const binary = newerQemu.skip === false && count >= moves / 2 ? newerQemu.binary : systemQemu
      const target = await startTarget(t, source, { binary })
      const { step } = await move(source, target)
      assert.ok(step.kind === 'end' && step.outcome === 'completed', JSON.stringify(step))
      await source.kill()
      source = target
      assert.equal(fingerprintText(await observeFingerprint(source.qmp, source.arguments)), was, `after migration ${count + 1}`)
    }
    const ticks = source.printed().length
    await until('the guest ticks after all of them', () => source.printed().length > ticks)
  })
})
