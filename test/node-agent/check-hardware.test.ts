import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { before, suite, test } from 'node:test'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { hardwareNames, type Verdict } from '#features/hardware-record/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { newerQemu } from '#qemu/guest.fixture.ts'
import { queryCapabilities } from '#qemu/index.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { qemuBinary, testHost } from '#features/node-agent/guest.fixture.ts'
import type { Host } from '#features/node-agent/node/host.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { checkHardware } from '#features/node-agent/hardware/check.ts'
import { apiWith, boot, data, interfaces, recordOf, vmiOf, vmWith } from '#features/node-agent/hardware/hardware.fixture.ts'
import { dryRunArguments } from '#features/node-agent/hardware/dry-run-launch.ts'
import { sample } from '../support/effort.ts'

const visible: readonly (readonly [string, object])[] = [
  ['another version of the machine', { machine: { type: 'pc-q35-7.1' } }],
  ['another model of the CPU', { cpu: { model: 'Nehalem' } }],
  ['one more flag of the CPU', { cpu: { features: [{ name: 'rdrand', policy: 'require' }] } }],
  ['one flag of the CPU less', { cpu: { features: [{ name: 'cx16', policy: 'disable' }] } }],
  ['more cores', { cpu: { cores: 2 } }],
  ['room for more sockets', { cpu: { maxSockets: 6 } }],
  ['more memory', { memory: { guest: '24Mi' } }],
  ['another MAC address', { devices: { interfaces: [{ ...interfaces[0], macAddress: '02:00:00:00:00:09' }, interfaces[1]] } }],
  ['cards that have changed places', { devices: { interfaces: interfaces.toReversed() } }],
  ['another model of a card', { devices: { interfaces: [{ ...interfaces[0], model: 'e1000e' }, interfaces[1]] } }],
  ['a card less, by which others move up', { devices: { interfaces: [interfaces[1]] } }],
  ['another serial number of a disk', { devices: { disks: [boot, { ...data, serial: 'S2' }] } }],
  ['another bus of a disk', { devices: { disks: [boot, { ...data, disk: { bus: 'sata' } }] } }],
  ['larger blocks of a disk', { devices: { disks: [boot, { ...data, blockSize: { custom: { logical: 4096, physical: 4096 } } }] } }],
  [
    'another order of booting',
    {
      devices: {
        disks: [
          { ...boot, bootOrder: 2 },
          { ...data, bootOrder: 1 },
        ],
      },
    },
  ],
  ['a device more', { devices: { rng: {} } }],
  ['no balloon', { devices: { autoattachMemBalloon: false } }],
  ['a screen', { devices: { autoattachGraphicsDevice: true } }],
  ['another serial number in SMBIOS', { firmware: { serial: 'another' } }],
  ['another UUID', { firmware: { uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0009' } }],
  ['another chassis', { chassis: { asset: 'shelf 3' } }],
  ['no ACPI', { features: { acpi: { enabled: false } } }],
  ['an HPET', { clock: { utc: {}, timer: { hpet: { present: true } } } }],
  ['a clock in local time', { clock: { timezone: 'Europe/Zurich' } }],
  ['old virtio', { devices: { useVirtioTransitional: true } }],
]

const invisible: readonly (readonly [string, object])[] = [
  ['another aio mode of a disk', { devices: { disks: [{ ...boot, io: 'threads' }, data] } }],
  ['a thread for its disks', { ioThreadsPolicy: 'shared' }],
  ['another cache of the host', { devices: { disks: [boot, { ...data, cache: 'none' }] } }],
  ['other resources of its pod', { resources: { requests: { cpu: '50m' } } }],
]

suite('checkHardware()', { skip: !existsSync(qemuBinary) }, () => {
  let host: Host
  let stored: HardwareRecord

  before(async () => {
    host = await testHost()
    stored = await recordOf(vmWith({}), host)
  })

  /**
   * Checks the hardware of a start of this VM on this host, with the cluster's policy for changes.
   */
  async function verdictOn(vm: VirtualMachine, on: Host, word?: string): Promise<Verdict & { readonly reads: readonly string[] }> {
    const vmi = vmiOf(vm)
    const record = { binary: on.qemuBinary, arguments: dryRunArguments(vmi, on) } as unknown as LaunchRecord
    const { client, reads } = apiWith(vm, stored, word)
    const ports = { client, host: on, nodeName: 'n1', log: silentLogger } as unknown as Ports
    return { ...(await checkHardware(ports, vmi, record)), reads }
  }

  test('rehearses nothing when the launch equals the last one', async () => {
    const verdict = await verdictOn(vmWith({}), { ...host, qemuBinary: '/nowhere' }, 'Refuse')
    assert.deepEqual([verdict.kind, verdict.reads], ['same', ['virtualmachines']])
  })

  for (const [name, change] of sample(visible, 5)) {
    test(`refuses ${name}`, async () => {
      const verdict = await verdictOn(vmWith(change), host, 'Refuse')
      assert.ok(verdict.kind === 'refuse', verdict.kind)
      assert.match(verdict.message, /accept-hardware=[0-9a-f]{12}/)
    })
  }

  for (const [name, change] of sample(invisible, 4)) {
    test(`accepts ${name}`, async () => {
      assert.equal((await verdictOn(vmWith(change), host, 'Refuse')).kind, 'same')
    })
  }

  test('warns by default, and lets the VM override the policy of the cluster', async () => {
    const change = { memory: { guest: '24Mi' } }
    assert.equal((await verdictOn(vmWith(change), host)).kind, 'tell')
    assert.equal((await verdictOn(vmWith(change), host, 'Allow')).kind, 'silent')
    assert.equal((await verdictOn(vmWith(change, { [hardwareNames.policyAnnotation]: 'Refuse' }), host, 'Allow')).kind, 'refuse')
  })

  test('refuses a QEMU that cannot be queried with policy Refuse only', async () => {
    const broken = { ...host, qemuBinary: '/nowhere' }
    assert.equal((await verdictOn(vmWith({ memory: { guest: '24Mi' } }), broken, 'Refuse')).kind, 'refuse')
    assert.equal((await verdictOn(vmWith({ memory: { guest: '24Mi' } }), broken)).kind, 'same')
  })

  test('compares a newer QEMU by the hardware, not by its version', { skip: newerQemu.skip }, async () => {
    const capabilities = await queryCapabilities(newerQemu.binary, 'tcg')
    const newer: Host = { ...host, ...capabilities, qemuBinary: newerQemu.binary }
    const moved = await verdictOn(vmWith({}), newer, 'Refuse')
    assert.ok(moved.kind === 'refuse' && /pc-q35-7\.2 → pc-q35-10/.test(moved.message), JSON.stringify(moved))
    assert.equal((await verdictOn(vmWith({ machine: { type: 'pc-q35-7.2' } }), newer, 'Refuse')).kind, 'same')
  })
})
