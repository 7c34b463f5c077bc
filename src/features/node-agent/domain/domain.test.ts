import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deepFreeze } from '#apimachinery/equality.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import type { Domain } from '#qemu/index.ts'
import { guestDomainOf, guestSockets } from './domain.ts'
import type { GuestFiles } from './guest-files.ts'
import { imaginedHost } from '../node/host.fixture.ts'
import { ioThreadsOf } from './io-threads.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'
import type { Host } from '../node/host.ts'
import { unsupportedFeatures } from './unsupported-features.ts'

const uid = '01234567-89ab-4def-8123-456789abcdef'
const paths = launcherPaths('/data/nodes/n1/pods', '/data/run', uid)
const nowMs = Date.UTC(2026, 0, 2, 12, 30)

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
  return guestDomainOf(object, { files, paths, host: { ...imaginedHost, ...on }, nowMs })
}

suite('guestDomainOf()', () => {
  test('resolves the machine type to a versioned one', () => {
    assert.equal(domainOf(vmi()).machine.type, 'pc-q35-7.2')
    assert.equal(domainOf(vmi({ machine: { type: 'pc-q35-6.0' } })).machine.type, 'pc-q35-6.0')
    for (const type of ['pc-q35-99', 'microvm', 'none']) assert.throws(() => domainOf(vmi({ machine: { type } })), UnsupportedGuest)
  })

  test('sets the requested CPUs and a model that this node has', () => {
    const cpu = { sockets: 2, cores: 3, threads: 1, maxSockets: 8, model: 'host-model', features: [{ name: 'aes', policy: 'disable' }] }
    const expected = { model: 'qemu64', flags: ['aes=off'], sockets: 2, cores: 3, threads: 1, maxSockets: 8 }
    assert.deepEqual(domainOf(vmi({ cpu })).cpu, expected)
    assert.equal(domainOf(vmi({ cpu }), undefined, { accelerator: 'kvm' }).cpu.model, 'host')
    assert.equal(domainOf(vmi({ cpu: { model: 'Westmere' } })).cpu.model, 'Westmere')
    const hyperv = { relaxed: {}, vapic: { enabled: false }, spinlocks: { spinlocks: 8191 } }
    const kvm = { accelerator: 'kvm' } as const
    assert.deepEqual(domainOf(vmi({ features: { hyperv } }), undefined, kvm).cpu.flags, ['hv-relaxed=on', 'hv-spinlocks=8191'])
    assert.deepEqual(domainOf(vmi({ features: { hyperv } })).cpu.flags, [])
  })

  test('keeps socket paths below the limit of the kernel, and other files in the pod directory', () => {
    for (const socket of Object.values(guestSockets(paths.runDirectory)))
      assert.ok(socket.startsWith('/data/run/0123456789ab/') && socket.length < 60)
    assert.equal(domainOf(vmi()).serial?.logPath, `/data/nodes/n1/pods/${uid}/volumes/kubernetes.io~empty-dir/private/serial.log`)
  })

  test('omits devices that are switched off', () => {
    const devices = { autoattachGraphicsDevice: false, autoattachMemBalloon: false, autoattachSerialConsole: false }
    const domain = domainOf(vmi({ devices, features: { acpi: { enabled: false } } }))
    assert.deepEqual([domain.graphics, domain.balloon, domain.serial, domain.machine.acpi], [undefined, false, undefined, false])
  })

  test('keeps the order of disks and makes CDs read-only', () => {
    const volumes = new Map([
      ['root', { path: '/d/root.qcow2', format: 'qcow2', readOnly: false }],
      ['cd', { path: '/i/cd.img', format: 'raw', readOnly: true }],
    ] as const)
    const disks = [
      { name: 'root', disk: { bus: 'virtio' }, serial: 's', bootOrder: 1, cache: 'none' },
      { name: 'cd', cdrom: { bus: 'sata' } },
    ]
    const source = { volumes: [{ name: 'cd', containerDisk: { image: 'cd' } }] }
    assert.deepEqual(domainOf(vmi({ devices: { disks } }, source), { volumes }).disks, [
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
        onError: 'stop',
      },
      { name: 'cd', path: '/i/cd.img', format: 'raw', readOnly: true, device: 'cdrom', bus: 'sata', onError: 'stop' },
    ])
    assert.throws(() => domainOf(vmi({ devices: { disks: [{ name: 'lost' }] } })), UnsupportedGuest)
  })

  test('starts without what is plugged in, but with its drives and ports', () => {
    const hot = (name: string): Volume => ({ name, persistentVolumeClaim: { claimName: name, hotpluggable: true } })
    const disks = [
      { name: 'a', disk: { bus: 'virtio' }, dedicatedIOThread: true },
      { name: 'b', disk: { bus: 'scsi' } },
      { name: 'full', cdrom: { bus: 'scsi' }, serial: 's' },
      { name: 'empty', cdrom: {}, bootOrder: 2 },
    ]
    const domain = domainOf(vmi({ devices: { disks } }, { volumes: ['a', 'b', 'full'].map(hot) }))
    assert.deepEqual([domain.disks, domain.ioThreads, domain.hotplugPorts], [[], [], 4])
    assert.deepEqual(domain.drives, [
      { name: 'full', bus: 'scsi', serial: 's' },
      { name: 'empty', bus: 'sata', bootOrder: 2 },
    ])
    const many = Array.from({ length: 9 }, (_, index) => ({ name: `d${index}`, disk: { bus: 'virtio' } }))
    assert.equal(domainOf(vmi({ devices: { disks: many } }, { volumes: many.map(({ name }) => hot(name)) })).hotplugPorts, 11)
    const usb = { devices: { disks: [{ name: 'empty', cdrom: { bus: 'usb' } }] } }
    assert.throws(() => domainOf(vmi(usb)), UnsupportedGuest)
  })

  test('gives network cards stable addresses and restricts user-mode networking', () => {
    const networked = vmi(
      { devices: { interfaces: [{ name: 'default', model: 'e1000e' }] }, firmware: { uuid: uid } },
      { networks: [{ name: 'default', pod: {} }] },
    )
    const [card] = domainOf(networked).interfaces
    assert.deepEqual(card, domainOf(networked).interfaces[0])
    assert.match(card?.mac ?? '', /^02(:[0-9a-f]{2}){5}$/)
    assert.deepEqual(card?.backend, { kind: 'user', restrict: true })
    const [connected] = guestDomainOf(networked, {
      files: { volumes: new Map() },
      paths,
      host: imaginedHost,
      nowMs,
      tapOf: (name) => `tap-${name}`,
    }).interfaces
    assert.deepEqual(connected, { ...card, backend: { kind: 'tap', device: 'tap-default' } })
    const foreign = vmi({ devices: { interfaces: [{ name: 'a' }] } }, { networks: [{ name: 'a', resourceClaim: {} }] })
    assert.throws(() => domainOf(foreign), UnsupportedGuest)
  })

  test('sets kernel, initrd and arguments of a direct boot', () => {
    const boot = vmi({ firmware: { kernelBoot: { kernelArgs: 'console=ttyS0', container: { image: 'k' } } } })
    const files = { volumes: new Map(), kernel: { kernelPath: '/k', initrdPath: '/i' } }
    assert.deepEqual(domainOf(boot, files).kernel, { kernelPath: '/k', initrdPath: '/i', commandLine: 'console=ttyS0' })
  })

  test('uses the prepared UEFI files and turns on SMM for secure boot', () => {
    const firmware = { codePath: '/code', variablesPath: '/vars' }
    const efi = (secureBoot?: boolean): Domain =>
      domainOf(vmi({ firmware: { bootloader: { efi: secureBoot === undefined ? {} : { secureBoot } } } }), { volumes: new Map(), firmware })
    assert.deepEqual([efi().firmware, efi().machine.smm], [{ kind: 'efi', ...firmware, secureBoot: true }, true])
    assert.deepEqual([efi(false).firmware, efi(false).machine.smm], [{ kind: 'efi', ...firmware, secureBoot: false }, false])
  })

  test('stops a guest at I/O errors of its disks, unless they have another policy', () => {
    const volumes = new Map(['a', 'b', 'c', 'd'].map((name) => [name, { path: `/${name}`, format: 'raw', readOnly: false }] as const))
    const disks = [
      { name: 'a' },
      ...['report', 'ignore', 'enospace'].map((errorPolicy, index) => ({ name: 'bcd'.charAt(index), errorPolicy })),
    ]
    assert.deepEqual(
      domainOf(vmi({ devices: { disks } }), { volumes }).disks.map(({ onError }) => onError),
      ['stop', 'report', 'ignore', 'enospc'],
    )
  })

  test('sets the clock base by offset or time zone', () => {
    const clockOf = (clock: NonNullable<VirtualMachineInstanceSpec['domain']['clock']>, on: Partial<Host> = {}): Domain['clock'] =>
      domainOf(vmi({ clock }), undefined, on).clock
    assert.deepEqual(domainOf(vmi()).clock, { base: 'utc', hpet: false, pit: true })
    assert.equal(clockOf({ utc: { offsetSeconds: -3600 } }).base, '2026-01-02T11:30:00')
    assert.equal(clockOf({ timezone: 'Asia/Kolkata' }).base, '2026-01-02T18:00:00')
    const timer = { hpet: {}, pit: { present: false }, rtc: { tickPolicy: 'catchup', track: 'guest' } }
    assert.deepEqual(clockOf({ timer }), { base: 'utc', follows: 'guest', catchUp: true, hpet: true, pit: false })
    assert.equal(clockOf({ timer: { pit: { tickPolicy: 'discard' } } }, { accelerator: 'kvm' }).missedPitTicks, 'discard')
  })

  test('sets SMBIOS chassis, serial number and system fields', () => {
    const { smbios } = domainOf(vmi({ firmware: { serial: 's-1' }, chassis: { asset: 'a', sku: '' } }))
    assert.deepEqual(smbios, { system: { manufacturer: 'KubeVirt', product: 'None', serial: 's-1' }, chassis: { asset: 'a' } })
  })

  test('maps device names of KubeVirt to those of QEMU', () => {
    const devices = {
      video: { type: 'virtio' },
      sound: { name: 's', model: 'ac97' },
      tpm: { persistent: true },
      panicDevices: [{ model: 'isa' }],
    }
    const domain = domainOf(vmi({ devices }))
    assert.deepEqual(
      [domain.graphics?.device, domain.sound, domain.tpm?.model, domain.panicDevice, domain.machine.virtioTransitional],
      ['virtio-vga', 'ac97', 'tpm-crb', 'isa', false],
    )
    assert.equal(domainOf(vmi({ devices: { tpm: { enabled: false } } })).tpm, undefined)
  })

  test('limits maxSockets to the vCPUs of the machine', () => {
    assert.equal(domainOf(vmi({ cpu: { sockets: 64, cores: 2, maxSockets: 256 } })).cpu.maxSockets, 127)
  })

  test('exposes threads of a core with the emulated CPU model', () => {
    assert.deepEqual(domainOf(vmi({ cpu: { threads: 2 } })).cpu.flags, ['vendor=GenuineIntel'])
    assert.deepEqual(domainOf(vmi({ cpu: { threads: 2, model: 'Westmere' } })).cpu.flags, [])
  })

  test('accepts CPU features in either spelling and drops optional ones that the node lacks', () => {
    const features = [{ name: 'aes' }, { name: 'tsc_adjust', policy: 'force' }, { name: 'avx512f', policy: 'optional' }]
    assert.deepEqual(domainOf(vmi({ cpu: { features } })).cpu.flags, ['aes=on', 'tsc_adjust=on'])
    const unwanted = ['tsc_adjust', 'avx512f', 'of-my-own', 'aes=on,pmu'].map((name) => ({ name, policy: 'disable' }))
    assert.deepEqual(domainOf(vmi({ cpu: { features: unwanted } })).cpu.flags, ['tsc_adjust=off'])
  })

  const disk = (change: object): Partial<VirtualMachineInstanceSpec['domain']> => ({ devices: { disks: [{ name: 'a', ...change }] } })
  const refused: readonly (readonly [string, Partial<VirtualMachineInstanceSpec['domain']>])[] = [
    ['UEFI without firmware', { firmware: { bootloader: { efi: {} } } }],
    ['an invalid UUID', { firmware: { uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0001,x=y' } }],
    ['no memory', { memory: {} }],
    ['an unknown CPU model', { cpu: { model: 'EPYC' } }],
    ['an unavailable CPU feature', { cpu: { features: [{ name: 'avx512f', policy: 'require' }] } }],
    ['more CPUs than the machine type supports', { cpu: { sockets: 256 } }],
    ['dedicated CPUs', { cpu: { dedicatedCpuPlacement: true } }],
    ['an isolated emulator thread', { cpu: { isolateEmulatorThread: true } }],
    ['NUMA passthrough', { cpu: { numa: { guestMappingPassthrough: {} } } }],
    ['real-time CPUs', { cpu: { realtime: {} } }],
    ['a GPU', { devices: { gpus: [{ name: 'g', deviceName: 'x/y' }] } }],
    ['a device of the node', { devices: { hostDevices: [{ name: 'h', deviceName: 'x/y' }] } }],
    ['a socket to the node', { devices: { autoattachVSOCK: true } }],
    ['launch security', { launchSecurity: { sev: {} } }],
    ['an unavailable video device', { devices: { video: { type: 'plasma' } } }],
    ['an unavailable sound device', { devices: { sound: { name: 's', model: 'sb16' } } }],
    ['a SCSI unit from a file', disk({ lun: { bus: 'scsi' } })],
    ['native I/O through a cache', disk({ io: 'native', cache: 'writeback', disk: { bus: 'virtio' } })],
    ['a CD-ROM on USB', disk({ cdrom: { bus: 'usb' } })],
    ['a disk on an unsupported bus', disk({ disk: { bus: 'ide' } })],
    ['an unknown time zone', { clock: { timezone: 'Moon/Tranquility' } }],
    ['a guest without timers', { clock: { timer: { rtc: { present: false } } } }],
    ['a merge tick policy', { clock: { timer: { hpet: { tickPolicy: 'merge' } } } }],
  ]
  for (const [name, spec] of refused) {
    test(`refuses ${name} instead of omitting it`, () => {
      const files = { volumes: new Map([['a', { path: '/a', format: 'raw', readOnly: false }]] as const) }
      assert.throws(() => domainOf(vmi(spec), files), UnsupportedGuest)
    })
  }

  test('accepts the network card models of KubeVirt', () => {
    const card = (model: string): VirtualMachineInstance =>
      vmi({ devices: { interfaces: [{ name: 'a', model }] } }, { networks: [{ name: 'a', pod: {} }] })
    assert.equal(domainOf(card('ne2k_pci')).interfaces[0]?.model, 'ne2k_pci')
    assert.throws(() => domainOf(card('virtio-net-pci,romfile=/etc/passwd')), UnsupportedGuest)
  })
})

suite('unsupportedFeatures()', () => {
  const wish = vmi(
    {
      cpu: { cores: 2 },
      features: { hyperv: { relaxed: {}, vapic: { enabled: false } }, pvspinlock: { enabled: true } },
      clock: { timer: { hyperv: { present: true }, kvm: { present: false }, pit: { tickPolicy: 'delay' } } },
      devices: { networkInterfaceMultiqueue: true, panicDevices: [{ model: 'hyperv' }] },
    },
    {},
  ).spec

  test('reports features that need KVM or another network', () => {
    const always = ['devices.networkInterfaceMultiqueue']
    const onlyKvm = ['features.hyperv.relaxed', 'features.pvspinlock', 'clock.timer.hyperv', 'devices.panicDevices']
    assert.deepEqual(unsupportedFeatures(wish, imaginedHost, false), [...onlyKvm, ...always])
    assert.deepEqual(unsupportedFeatures(wish, { ...imaginedHost, accelerator: 'kvm' }, false), always)
    assert.deepEqual(unsupportedFeatures(vmi().spec, imaginedHost, false), [])
    const queues = vmi({ cpu: { cores: 2 }, devices: { networkInterfaceMultiqueue: true } }).spec
    assert.deepEqual(
      [false, true].map((hasNetwork) => unsupportedFeatures(queues, imaginedHost, hasNetwork)),
      [['devices.networkInterfaceMultiqueue'], []],
    )
  })

  test('reports ACPI that is on although disabled, since the BIOS of q35 adds it', () => {
    const without = (machine: string): string[] =>
      unsupportedFeatures(vmi({ machine: { type: machine }, features: { acpi: { enabled: false } } }).spec, imaginedHost, false)
    assert.deepEqual([without('q35'), without('pc')], [['features.acpi'], []])
  })
})

suite('ioThreadsOf()', () => {
  const disks = ['a', 'b', 'c'].map((name) => ({ name, disk: { bus: 'virtio' }, ...(name === 'a' ? { dedicatedIOThread: true } : {}) }))
  const sata = { name: 's', disk: { bus: 'sata' }, dedicatedIOThread: true }
  const threads = (policy: string | undefined, count?: number): readonly string[] => {
    const ioThreads = count === undefined ? {} : { ioThreads: { supplementalPoolThreadCount: count } }
    const { spec } = vmi({
      devices: { disks: [...disks, sata] },
      ...(policy === undefined ? {} : { ioThreadsPolicy: policy }),
      ...ioThreads,
    })
    const { names, byDisk } = ioThreadsOf(spec, 1)
    assert.deepEqual(new Set(byDisk.values()), new Set(names.filter((name) => [...byDisk.values()].includes(name))))
    return ['a', 'b', 'c', 's'].map((name) => byDisk.get(name) ?? '-')
  }
  const rows: readonly (readonly [string, string | undefined, number | undefined, readonly string[]])[] = [
    ['only disks with dedicatedIOThread have one', undefined, undefined, ['a', '-', '-', '-']],
    ['shared: one for all others', 'shared', undefined, ['a', 'pool.0', 'pool.0', '-']],
    ['auto: two per CPU', 'auto', undefined, ['a', 'pool.0', 'pool.0', '-']],
    ['supplementalPool: the requested number', 'supplementalPool', 2, ['pool.0', 'pool.1', 'pool.0', '-']],
  ]
  for (const [name, policy, count, expected] of rows) test(name, () => assert.deepEqual(threads(policy, count), expected))
})
