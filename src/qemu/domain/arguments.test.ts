import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildArguments } from './arguments.ts'
import type { Disk, Domain } from './domain.ts'

const base: Domain = {
  name: 'ns_demo',
  uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0001',
  machine: { type: 'pc-q35-7.2', accelerator: 'tcg', acpi: true, smm: false },
  cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 2, threads: 1 },
  memory: { bytes: 128 * 1024 * 1024 },
  firmware: { kind: 'bios', useSerial: false },
  clock: { base: 'utc', hpet: true },
  disks: [],
  interfaces: [],
  inputs: [],
  balloon: false,
  rng: false,
  panicDevice: false,
  smbios: {},
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

test('buildArguments() gives the topology as running and possible CPUs', () => {
  const args = buildArguments({ ...base, cpu: { ...base.cpu, sockets: 2, maxSockets: 4 } })
  assert.equal(valueAfter(args, '-smp'), 'cpus=4,maxcpus=8,sockets=4,cores=2,threads=1')
})

test('buildArguments() never passes a machine alias through', () => {
  assert.match(valueAfter(buildArguments(base), '-machine') ?? '', /^pc-q35-7\.2,/)
})

test('buildArguments() keeps the guest from ending the process, and QEMU from starting others', () => {
  const args = buildArguments(base)
  assert.equal(valueAfter(args, '-action'), 'shutdown=pause,panic=pause')
  assert.match(valueAfter(args, '-sandbox') ?? '', /spawn=deny/)
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

test('buildArguments() is stable: a device added at the end moves no other', () => {
  const before = devices(buildArguments({ ...base, disks: [disk] }))
  const after = devices(buildArguments({ ...base, disks: [disk], panicDevice: true }))
  assert.deepEqual(after.slice(0, before.length), before)
})

test('buildArguments() takes file names with commas', () => {
  const node = JSON.parse(valueAfter(buildArguments({ ...base, disks: [disk] }), '-blockdev') ?? '{}') as { filename: string }
  assert.equal(node.filename, '/d/root,1.qcow2')
})
