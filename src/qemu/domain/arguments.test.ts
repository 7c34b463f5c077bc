import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildArguments, deviceModels } from './arguments.ts'
import { blockNodes, launchedNodes } from './disk.ts'
import type { Disk, Domain } from './domain.ts'
import { TooManyDevices } from './pci.ts'

const base: Domain = {
  name: 'ns_demo',
  uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0001',
  machine: { type: 'pc-q35-7.2', accelerator: 'tcg', acpi: true, smm: false, virtioTransitional: false },
  cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 2, threads: 1 },
  memory: { bytes: 128 * 1024 * 1024 },
  firmware: { kind: 'bios', useSerial: false },
  clock: { base: 'utc', hpet: true, pit: true },
  ioThreads: [],
  disks: [],
  interfaces: [],
  inputs: [],
  balloon: false,
  rng: false,
  smbios: { system: {}, chassis: {} },
  monitors: ['/run/qmp'],
  startPaused: true,
}
const disk: Disk = { name: 'root', path: '/d/root,1.qcow2', format: 'qcow2', readOnly: false, device: 'disk', bus: 'virtio' }

function valueAfter(args: readonly string[], flag: string, nth = 0): string | undefined {
  const positions = args.flatMap((word, index) => (word === flag ? [index] : []))
  const position = positions[nth]
  return position === undefined ? undefined : args[position + 1]
}
function devices(args: readonly string[]): string[] {
  return args.flatMap((word, index) => (word === '-device' ? [args[index + 1] ?? ''] : []))
}

test('buildArguments() sets running and possible CPUs of the topology', () => {
  const args = buildArguments({ ...base, cpu: { ...base.cpu, sockets: 2, maxSockets: 4 } })
  assert.equal(valueAfter(args, '-smp'), 'cpus=4,maxcpus=8,sockets=4,cores=2,threads=1')
})

for (const [bytes, isLimited, mebibytes] of [
  [64, undefined, 16],
  [512, undefined, 64],
  [8_192, undefined, 128],
  [8_192, true, 16],
] as const)
  test(`buildArguments() gives a guest of ${bytes} MiB${isLimited ? ' with a limit' : ''} a translation cache of ${mebibytes} MiB`, () => {
    const args = buildArguments({ ...base, memory: { bytes: bytes * 2 ** 20, ...(isLimited === undefined ? {} : { isLimited }) } })
    assert.match(args[args.indexOf('-accel') + 1] ?? '', new RegExp(`^tcg,tb-size=${mebibytes}(,|$)`))
  })

test('buildArguments() never passes a machine alias through', () => {
  assert.match(valueAfter(buildArguments(base), '-machine') ?? '', /^pc-q35-7\.2,/)
})

test('buildArguments() keeps the guest from ending QEMU, and QEMU from starting processes', () => {
  const args = buildArguments(base)
  assert.equal(valueAfter(args, '-action'), 'shutdown=pause,panic=pause')
  assert.match(valueAfter(args, '-sandbox') ?? '', /spawn=deny/)
})

test('buildArguments() opens host devices with the host device driver', () => {
  const driverOf = (more: Partial<Disk>): unknown =>
    (JSON.parse(valueAfter(buildArguments({ ...base, disks: [{ ...disk, ...more }] }), '-blockdev') ?? '{}') as { driver: string }).driver
  assert.deepEqual([driverOf({}), driverOf({ isHostDevice: true }), driverOf({ shared: true })], ['file', 'host_device', 'file'])
})

test('buildArguments() locks every image, also where QEMU cannot find out which locks there are', () => {
  for (const more of [{}, { isHostDevice: true }, { readOnly: true }] satisfies Partial<Disk>[]) {
    const [file] = blockNodes({ ...disk, ...more }, launchedNodes(disk.name))
    assert.equal(file['locking'], 'on')
  }
})

test('buildArguments() pins every PCI device to a slot of its own', () => {
  const args = buildArguments({
    ...base,
    disks: [disk, { ...disk, name: 'data', bus: 'scsi' }, { ...disk, name: 'cd', bus: 'sata', device: 'cdrom', readOnly: true }],
    interfaces: [{ name: 'default', model: 'virtio', mac: '02:00:00:00:00:01', backend: { kind: 'user', restrict: true } }],
    balloon: true,
    rng: true,
    guestAgentSocket: '/run/agent',
  })
  const slots = devices(args).flatMap((device) => /addr=(0x[0-9a-f]+)/.exec(device)?.[1] ?? [])
  assert.equal(slots.length, 7)
  assert.equal(new Set(slots).size, slots.length)
})

test('buildArguments() gives a card several queues, with a vector for each', () => {
  const backend = { kind: 'tap', device: 'tap0' } as const
  const args = buildArguments({ ...base, interfaces: [{ name: 'a', model: 'virtio', mac: '02:00:00:00:00:01', queues: 4, backend }] })
  assert.equal(valueAfter(args, '-netdev'), 'tap,id=net-a,ifname=tap0,script=no,downscript=no,queues=4')
  assert.match(devices(args).join(' '), /virtio-net-pci\S*,mq=on,vectors=10,/)
})

test('buildArguments() is stable: a device added at the end does not move other devices', () => {
  const before = devices(buildArguments({ ...base, disks: [disk] }))
  const after = devices(buildArguments({ ...base, disks: [disk], panicDevice: 'pci' }))
  assert.deepEqual(after.slice(0, before.length), before)
})

test('buildArguments() reserves hotplug ports last, eight per slot', () => {
  const room = { memory: { bytes: 128 * 1024 * 1024, maxBytes: 256 * 1024 * 1024 }, hotplugPorts: 9 }
  const before = buildArguments({ ...base, disks: [disk] })
  const after = buildArguments({ ...base, ...room, disks: [disk] })
  assert.deepEqual(devices(after).slice(0, devices(before).length), devices(before))
  const places = devices(after).flatMap((device) => /(?:virtio-mem-pci|pcie-root-port),.*addr=([^,]+)/.exec(device)?.[1] ?? [])
  assert.deepEqual(places, ['0x2', '0x3.0', '0x3.1', '0x3.2', '0x3.3', '0x3.4', '0x3.5', '0x3.6', '0x3.7', '0x4.0'])
  assert.equal(valueAfter(after, '-m'), 'size=131072k,maxmem=262144k')
})

test('buildArguments() escapes commas in file names', () => {
  const node = JSON.parse(valueAfter(buildArguments({ ...base, disks: [disk] }), '-blockdev') ?? '{}') as { filename: string }
  assert.equal(node.filename, '/d/root,1.qcow2')
})

test('buildArguments() spreads SATA disks over controllers of six ports, with any devices between them', () => {
  const disks = Array.from({ length: 8 }, (_, index): Disk[] => [
    { ...disk, name: `s${index}`, bus: 'sata' },
    { ...disk, name: `v${index}` },
  ]).flat()
  const ports = devices(buildArguments({ ...base, disks })).flatMap((device) => /bus=(sata\d\.\d)/.exec(device)?.[1] ?? [])
  assert.deepEqual(ports, ['sata0.0', 'sata0.1', 'sata0.2', 'sata0.3', 'sata0.4', 'sata0.5', 'sata1.0', 'sata1.1'])
})

test('buildArguments() uses the PCI slots of the machine type, and reports when they are exhausted', () => {
  const cards = (count: number): Domain['interfaces'] =>
    Array.from({ length: count }, (_, index) => ({
      name: `n${index}`,
      model: 'virtio',
      mac: '02:00:00:00:00:01',
      backend: { kind: 'user', restrict: true },
    }))
  const addresses = (type: string, count: number): string[] =>
    devices(buildArguments({ ...base, machine: { ...base.machine, type }, interfaces: cards(count) })).flatMap(
      (device) => /bus=\S+?,addr=0x[0-9a-f]+/.exec(device)?.[0] ?? [],
    )
  assert.equal(addresses('pc-q35-7.2', 1)[0], 'bus=pcie.0,addr=0x1')
  assert.equal(addresses('pc-i440fx-7.2', 1)[0], 'bus=pci.0,addr=0x2')
  assert.equal(addresses('pc-i440fx-7.2', 30).at(-1), 'bus=pci.0,addr=0x1f')
  for (const type of ['pc-q35-7.2', 'pc-i440fx-7.2']) assert.throws(() => addresses(type, 31), TooManyDevices)
})

test('buildArguments() sets the virtio version that the guest supports', () => {
  const of = (virtioTransitional: boolean): string =>
    devices(buildArguments({ ...base, machine: { ...base.machine, virtioTransitional }, disks: [disk] }))[0] ?? ''
  assert.match(of(false), /^virtio-blk-pci,disable-legacy=on,/)
  assert.match(of(true), /^virtio-blk-pci,disable-legacy=off,/)
})

const devicesOf: readonly (readonly [string, Partial<Domain>, readonly string[]])[] = [
  ['a TPM', { tpm: { model: 'tpm-crb', socketPath: '/s' } }, ['tpm-crb']],
  ['a sound card', { sound: 'ich9' }, ['ich9-intel-hda', 'hda-duplex']],
  ['an old sound card', { sound: 'ac97' }, ['AC97']],
  ['a panic device on PCI', { panicDevice: 'pci' }, ['pvpanic-pci']],
  ['a panic device on ISA', { panicDevice: 'isa' }, ['pvpanic']],
  ['a screen in RAM', { graphics: { vncSocket: '/v', device: 'ramfb' } }, ['ramfb']],
]
for (const [name, change, expected] of devicesOf) {
  test(`deviceModels() names ${name}`, () => assert.deepEqual(deviceModels(buildArguments({ ...base, ...change })), expected))
}

test('buildArguments() sets clock and timers', () => {
  const clock = { base: '2026-01-02T11:30:00', follows: 'guest', catchUp: true, hpet: false, pit: false, missedPitTicks: 'delay' } as const
  const args = buildArguments({ ...base, clock })
  assert.equal(valueAfter(args, '-rtc'), 'base=2026-01-02T11:30:00,clock=vm,driftfix=slew')
  assert.match(valueAfter(args, '-machine') ?? '', /hpet=off,pit=off/)
  assert.equal(valueAfter(args, '-global'), 'kvm-pit.lost_tick_policy=delay')
})

test('buildArguments() writes SMBIOS data, commas included', () => {
  const args = buildArguments({ ...base, smbios: { system: { manufacturer: 'A, B' }, chassis: { asset: 'c' } } })
  assert.deepEqual([valueAfter(args, '-smbios'), valueAfter(args, '-smbios', 1)], ['type=1,manufacturer=A,, B', 'type=3,asset=c'])
})

test('names and paths cannot inject options', () => {
  const name = 'a,romfile=/etc/passwd'
  const path = '/run/x,server=off'
  const args = buildArguments({
    ...base,
    firmware: { kind: 'efi', codePath: path, variablesPath: path, secureBoot: false },
    disks: [{ ...disk, name, serial: name }],
    interfaces: [{ name, model: 'e1000', mac: name, backend: { kind: 'user', restrict: true } }],
    inputs: [{ name, type: 'tablet', bus: 'usb' }],
    serial: { socketPath: path, logPath: path },
    graphics: { vncSocket: path, device: 'VGA' },
    guestAgentSocket: path,
    usbRedirectors: [path],
    tpm: { model: 'tpm-tis', socketPath: path },
    monitors: [path],
    name,
    smbios: { system: { serial: name }, chassis: {} },
  })
  const isJson = (word: string): boolean => word.startsWith('{')
  for (const word of args.filter((each) => !isJson(each))) assert.doesNotMatch(word, /[^,],(romfile=\/etc|server=off)/)
})
