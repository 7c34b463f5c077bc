import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deepFreeze } from '#apimachinery/equality.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import type { Domain } from '#qemu/index.ts'
import { guestDomainOf, guestSockets, type GuestFiles } from './guest-domain.ts'
import { UnsupportedGuest, type Host } from './host.ts'

const uid = '01234567-89ab-4def-8123-456789abcdef'
const paths = launcherPaths('/data/nodes/n1/pods', '/data/run', uid)
const host: Host = {
  accelerator: 'tcg',
  acceleratorReason: '',
  qemuBinary: '/usr/bin/qemu',
  machineAliases: { q35: 'pc-q35-7.2' },
  machineTypes: ['pc-q35-7.2', 'pc-q35-6.0'],
  cpuModels: [],
}

function vmi(
  spec: Partial<VirtualMachineInstanceSpec['domain']> = {},
  rest: Partial<VirtualMachineInstanceSpec> = {},
): VirtualMachineInstance {
  return deepFreeze({
    metadata: { name: 'web', namespace: 'team', uid: 'u1' },
    spec: { domain: { devices: {}, machine: { type: 'q35' }, memory: { guest: '128Mi' }, ...spec }, ...rest },
  } satisfies VirtualMachineInstance)
}

function domainOf(object: VirtualMachineInstance, files: GuestFiles = { volumes: new Map() }, on: Partial<Host> = {}): Domain {
  return guestDomainOf(object, files, paths, { ...host, ...on })
}

suite('guestDomainOf()', () => {
  test('resolves the machine type to a version, for good', () => {
    assert.equal(domainOf(vmi()).machine.type, 'pc-q35-7.2')
    assert.equal(domainOf(vmi({ machine: { type: 'pc-q35-6.0' } })).machine.type, 'pc-q35-6.0')
    assert.throws(() => domainOf(vmi({ machine: { type: 'pc-q35-99' } })), UnsupportedGuest)
  })

  test('gives the CPUs that were asked for, and a model that this node has', () => {
    const cpu = { sockets: 2, cores: 3, threads: 1, maxSockets: 8, model: 'host-model', features: [{ name: 'aes', policy: 'disable' }] }
    const expected = { model: 'qemu64', flags: ['aes=off'], sockets: 2, cores: 3, threads: 1, maxSockets: 8 }
    assert.deepEqual(domainOf(vmi({ cpu })).cpu, expected)
    assert.equal(domainOf(vmi({ cpu }), undefined, { accelerator: 'kvm' }).cpu.model, 'host')
    assert.equal(domainOf(vmi({ cpu: { model: 'Westmere' } })).cpu.model, 'Westmere')
    const hyperv = { relaxed: {}, vapic: { enabled: false }, spinlocks: { spinlocks: 8191 } }
    assert.deepEqual(domainOf(vmi({ features: { hyperv } })).cpu.flags, ['hv-relaxed=on', 'hv-spinlocks=8191'])
  })

  test('keeps sockets short enough for the kernel, and everything else with the pod', () => {
    for (const socket of Object.values(guestSockets(paths))) assert.ok(socket.startsWith('/data/run/0123456789ab/') && socket.length < 60)
    assert.equal(domainOf(vmi()).serial?.logPath, `/data/nodes/n1/pods/${uid}/volumes/kubernetes.io~empty-dir/private/serial.log`)
  })

  test('leaves out what is switched off', () => {
    const devices = { autoattachGraphicsDevice: false, autoattachMemBalloon: false, autoattachSerialConsole: false }
    const domain = domainOf(vmi({ devices, features: { acpi: { enabled: false } } }))
    assert.deepEqual([domain.graphics, domain.balloon, domain.serial, domain.machine.acpi], [undefined, false, undefined, false])
  })

  test('shows disks in their order, and a CD only to be read', () => {
    const volumes = new Map([
      ['root', { path: '/d/root.qcow2', format: 'qcow2', readOnly: false }],
      ['cd', { path: '/i/cd.img', format: 'raw', readOnly: true }],
    ] as const)
    const disks = [
      { name: 'root', disk: { bus: 'virtio' }, serial: 's', bootOrder: 1, cache: 'none' },
      { name: 'cd', cdrom: { bus: 'sata' } },
    ]
    assert.deepEqual(domainOf(vmi({ devices: { disks } }), { volumes }).disks, [
      {
        name: 'root',
        path: '/d/root.qcow2',
        format: 'qcow2',
        readOnly: false,
        device: 'disk',
        bus: 'virtio',
        serial: 's',
        bootOrder: 1,
        cache: 'none',
      },
      { name: 'cd', path: '/i/cd.img', format: 'raw', readOnly: true, device: 'cdrom', bus: 'sata' },
    ])
    assert.throws(() => domainOf(vmi({ devices: { disks: [{ name: 'lost' }] } })), UnsupportedGuest)
  })

  test('gives cards an address that stays, and shields the host', () => {
    const networked = vmi(
      { devices: { interfaces: [{ name: 'default', model: 'e1000e' }] }, firmware: { uuid: uid } },
      { networks: [{ name: 'default', pod: {} }] },
    )
    const [card] = domainOf(networked).interfaces
    assert.deepEqual(card, domainOf(networked).interfaces[0])
    assert.match(card?.mac ?? '', /^02(:[0-9a-f]{2}){5}$/)
    assert.equal(card?.backend.restrict, true)
    const foreign = vmi({ devices: { interfaces: [{ name: 'a' }] } }, { networks: [{ name: 'a', multus: { networkName: 'x' } }] })
    assert.throws(() => domainOf(foreign), UnsupportedGuest)
  })

  test('boots a kernel directly', () => {
    const boot = vmi({ firmware: { kernelBoot: { kernelArgs: 'console=ttyS0', container: { image: 'k' } } } })
    const files = { volumes: new Map(), kernel: { kernelPath: '/k', initrdPath: '/i' } }
    assert.deepEqual(domainOf(boot, files).kernel, { kernelPath: '/k', initrdPath: '/i', commandLine: 'console=ttyS0' })
  })

  test('says what it cannot do instead of leaving it out', () => {
    assert.throws(() => domainOf(vmi({ firmware: { bootloader: { efi: {} } } })), UnsupportedGuest)
    assert.throws(() => domainOf(vmi({ memory: {} })), UnsupportedGuest)
  })
})
