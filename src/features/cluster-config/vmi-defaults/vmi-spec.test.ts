import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig, type ClusterConfig } from '../cluster-config.ts'
import { completeVmiSpecInto } from './vmi-spec.ts'

type Domain = VirtualMachineInstanceSpec['domain']
type Given = Omit<Partial<VirtualMachineInstanceSpec>, 'domain'> & { readonly domain?: Partial<Domain> }

function completed({ domain, ...spec }: Given, config: Partial<ClusterConfig> = {}): VirtualMachineInstanceSpec {
  const draft: VirtualMachineInstanceSpec = structuredClone({ ...spec, domain: { devices: {}, ...domain } })
  completeVmiSpecInto(draft, { ...defaultClusterConfig, ...config })
  return draft
}

/** Guest memory, request, and the maximum for hotplug. */
const memoryRows: readonly (readonly [string, Partial<Domain>, Partial<ClusterConfig>, readonly (string | undefined)[]])[] = [
  ['guest memory is requested by the pod alone', { memory: { guest: '1Gi' } }, {}, ['1Gi', undefined, '4Gi']],
  ['a request is guest memory', { resources: { requests: { memory: '2Gi' } } }, {}, ['2Gi', '2Gi', '8Gi']],
  ['a limit is guest memory', { resources: { limits: { memory: '2Gi' } } }, {}, ['2Gi', undefined, '8Gi']],
  ['huge pages are at least one page', { memory: { hugepages: { pageSize: '1Gi' } } }, {}, ['1Gi', undefined, '4Gi']],
  ['a request of 0 is none', { resources: { requests: { memory: '0' }, limits: { memory: '2Gi' } } }, {}, ['2Gi', '0', '8Gi']],
  [
    'explicit values are kept',
    { memory: { guest: '2Gi', maxGuest: '3Gi' }, resources: { requests: { memory: '0' } } },
    {},
    ['2Gi', '0', '3Gi'],
  ],
  ['no memory stays none', {}, {}, [undefined, undefined, undefined]],
  ['the cluster sets the maximum for hotplug', { memory: { guest: '2Gi' } }, { maxGuest: '5Gi' }, ['2Gi', undefined, '5Gi']],
  ['the maximum is at least the size', { memory: { guest: '2Gi' } }, { maxGuest: '1Gi' }, ['2Gi', undefined, undefined]],
  ['the maximum has an upper limit', { memory: { guest: '2Pi' } }, {}, ['2Pi', undefined, '4Pi']],
  [
    'no hotplug under the Stage rollout strategy',
    { memory: { guest: '2Gi' } },
    { rolloutStrategy: 'Stage' },
    ['2Gi', undefined, undefined],
  ],
  ['no hotplug below 1Gi', { memory: { guest: '512Mi' } }, {}, ['512Mi', undefined, undefined]],
  ['no hotplug for an unaligned size', { memory: { guest: '2049Mi' } }, {}, ['2049Mi', undefined, undefined]],
  ['no hotplug with launch security', { memory: { guest: '2Gi' }, launchSecurity: { snp: {} } }, {}, ['2Gi', undefined, undefined]],
  ['no hotplug for realtime guests', { memory: { guest: '2Gi' }, cpu: { realtime: {} } }, {}, ['2Gi', undefined, undefined]],
]

/** Sockets, cores, threads, and the sockets that may be plugged. */
const cpuRows: readonly (readonly [string, Partial<Domain>, Partial<ClusterConfig>, readonly (number | undefined)[]])[] = [
  ['one CPU by default', {}, {}, [1, 1, 1, 4]],
  ['what is said', { cpu: { sockets: 2, cores: 3, threads: 2 } }, {}, [2, 3, 2, 8]],
  ['one of the levels', { cpu: { cores: 4 } }, {}, [1, 4, 1, 4]],
  ['a count of 0 for none', { cpu: { sockets: 0, cores: 2, maxSockets: 0 } }, {}, [1, 2, 1, 4]],
  ['sockets by the limit', { resources: { limits: { cpu: '3' }, requests: { cpu: '1' } } }, {}, [3, 1, 1, 12]],
  ['sockets by the request, rounded up', { resources: { requests: { cpu: '1500m' } } }, {}, [2, 1, 1, 8]],
  ['maxSockets of the VM', { cpu: { sockets: 2, maxSockets: 3 } }, {}, [2, 1, 1, 3]],
  ['maxSockets below the sockets, for validation to report', { cpu: { sockets: 4, maxSockets: 3 } }, {}, [4, 1, 1, 3]],
  ['maxSockets by the ratio of the cluster', { cpu: { sockets: 2 } }, { maxCpuSockets: 16 }, [2, 1, 1, 16]],
  ['maxSockets of the cluster that is raised to the sockets', { cpu: { sockets: 20 } }, { maxCpuSockets: 16 }, [20, 1, 1, 20]],
  ['no more than 512 CPUs', { cpu: { sockets: 32, cores: 2, threads: 3 } }, {}, [32, 2, 3, 85]],
  ['more than 512 CPUs when that is the start', { cpu: { sockets: 600 } }, {}, [600, 1, 1, 600]],
  ['no maxSockets under the Stage rollout strategy', { cpu: { sockets: 2 } }, { rolloutStrategy: 'Stage' }, [2, 1, 1, undefined]],
]

suite('completeVmiSpecInto()', () => {
  for (const [name, domain, config, expected] of memoryRows) {
    test(`sets memory: ${name}`, () => {
      const { memory, resources } = completed({ domain }, config).domain
      assert.deepEqual([memory?.guest, resources?.requests?.['memory'], memory?.maxGuest], expected)
    })
  }

  for (const [name, domain, config, expected] of cpuRows) {
    test(`sets the CPU topology: ${name}`, () => {
      const { cpu } = completed({ domain }, config).domain
      assert.deepEqual([cpu?.sockets, cpu?.cores, cpu?.threads, cpu?.maxSockets], expected)
    })
  }

  test('sets the CPU request to the limit', () => {
    assert.equal(completed({ domain: { resources: { limits: { cpu: '3' } } } }).domain.resources?.requests?.['cpu'], '3')
  })

  test('sets architecture, machine type, CPU model and eviction strategy of the cluster', () => {
    const { architecture, evictionStrategy, domain } = completed({})
    assert.deepEqual([architecture, evictionStrategy, domain.machine?.type, domain.cpu?.model], ['amd64', 'None', 'q35', 'host-model'])
    assert.equal(completed({ architecture: 'arm64' }).domain.machine?.type, 'virt')
  })

  test('enables ACPI, except on architectures without it', () => {
    assert.deepEqual(completed({ domain: { features: { acpi: { enabled: false } } } }).domain.features, { acpi: { enabled: false } })
    assert.deepEqual(completed({}).domain.features, { acpi: { enabled: true } })
    assert.deepEqual(completed({ architecture: 's390x' }).domain.features, { acpi: { enabled: false } })
  })

  for (const [name, hyperv, expected] of [
    ['nothing', {}, {}],
    ['synthetic timers', { synictimer: {} }, { synictimer: { enabled: true }, synic: { enabled: true }, vpindex: { enabled: true } }],
    ['a flush of the TLB', { tlbflush: { enabled: true } }, { tlbflush: { enabled: true }, vpindex: { enabled: true } }],
    ['what is off', { ipi: { enabled: false } }, { ipi: { enabled: false } }],
    ['what is there', { synic: {}, vpindex: {} }, { synic: { enabled: true }, vpindex: { enabled: true } }],
    [
      'an explicitly disabled dependency',
      { synic: {}, vpindex: { enabled: false } },
      { synic: { enabled: true }, vpindex: { enabled: false } },
    ],
  ] as const) {
    test(`adds dependencies of Hyper-V enlightenments: ${name}`, () => {
      assert.deepEqual(completed({ domain: { features: { hyperv } } }).domain.features?.hyperv, expected)
    })
  }

  test('enables what is named without a state, and completes spinlocks, timers, the watchdog and probes', () => {
    const { domain, readinessProbe } = completed({
      readinessProbe: { tcpSocket: { port: 22 }, periodSeconds: 7 },
      domain: {
        features: { apic: {}, smm: { enabled: false }, hyperv: { spinlocks: {}, tlbflush: { direct: {} } } },
        clock: { timer: { hpet: { present: false }, pit: {} } },
        devices: { watchdog: { name: 'dog' } },
      },
    })
    const { acpi: _, ...features } = domain.features ?? {}
    assert.deepEqual(features, {
      apic: { enabled: true },
      smm: { enabled: false },
      hyperv: {
        spinlocks: { enabled: true, spinlocks: 4096 },
        tlbflush: { enabled: true, direct: { enabled: true } },
        vpindex: { enabled: true },
      },
    })
    assert.deepEqual(domain.clock?.timer, { hpet: { present: false }, pit: { present: true } })
    assert.deepEqual(domain.devices.watchdog, { name: 'dog', i6300esb: { action: 'reset' } })
    assert.deepEqual(readinessProbe, {
      tcpSocket: { port: 22 },
      periodSeconds: 7,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 3,
    })
  })

  test('gives arm64 EFI without secure boot, and the CPU of its host', () => {
    const { firmware, cpu } = completed({ architecture: 'arm64' }).domain
    assert.deepEqual(
      [firmware, cpu?.model, cpu?.maxSockets],
      [{ bootloader: { efi: { secureBoot: false } } }, 'host-passthrough', undefined],
    )
  })

  test('enables nested virtualization for the enlightenments that need it', () => {
    const { features, cpu } = completed({ domain: { features: { hyperv: { evmcs: {} } } } }).domain
    assert.deepEqual([features?.hyperv?.vapic, cpu?.features], [{ enabled: true }, [{ name: 'vmx', policy: 'require' }]])
    const own = { features: { hyperv: { evmcs: {} } }, cpu: { features: [{ name: 'vmx', policy: 'disable' }] } }
    assert.deepEqual(completed({ domain: own }).domain.cpu?.features, own.cpu.features)
  })

  test('adds a disk for each volume without one, and no other', () => {
    const volumes = [
      { name: 'a', emptyDisk: { capacity: '1Gi' } },
      { name: 'b', emptyDisk: { capacity: '1Gi' } },
      { name: 'dump', memoryDump: { claimName: 'c' } },
      { name: 'files', configMap: { name: 'c' } },
    ]
    const devices = { disks: [{ name: 'b', cdrom: {} }], filesystems: [{ name: 'files', virtiofs: {} }] }
    assert.deepEqual(completed({ volumes, domain: { devices } }).domain.devices.disks, [
      { name: 'b', cdrom: { bus: 'sata', readonly: true, tray: 'closed' } },
      { name: 'a', disk: { bus: 'sata' } },
    ])
    assert.deepEqual(completed({ volumes, architecture: 'arm64', domain: { devices } }).domain.devices.disks?.[1]?.disk, { bus: 'virtio' })
  })

  test('adds an interface on the pod network for a VM without networks', () => {
    for (const networkInterface of ['bridge', 'masquerade'] as const) {
      const { networks, domain } = completed({}, { networkInterface })
      assert.deepEqual(
        [networks, domain.devices.interfaces],
        [[{ name: 'default', pod: {} }], [{ name: 'default', [networkInterface]: {} }]],
      )
    }
    assert.equal(completed({ domain: { devices: { autoattachPodInterface: false } } }).networks, undefined)
    assert.equal(completed({ networks: [{ name: 'own', multus: { networkName: 'n' } }] }).domain.devices.interfaces, undefined)
    assert.equal(completed({ domain: { devices: { interfaces: [{ name: 'own' }] } } }).networks, undefined)
  })

  test('sets defaults of input devices', () => {
    const inputs = [{ name: 'i' } as never, { name: 'j', type: 'keyboard', bus: 'virtio' }]
    assert.deepEqual(completed({ domain: { devices: { inputs } } }).domain.devices.inputs, [
      { name: 'i', bus: 'usb', type: 'tablet' },
      { name: 'j', type: 'keyboard', bus: 'virtio' },
    ])
  })

  for (const [image, policy] of [
    ['registry/a', 'Always'],
    ['registry:5000/a', 'Always'],
    ['registry/a:latest', 'Always'],
    ['registry/a:v1', 'IfNotPresent'],
    ['registry/a@sha256:0', 'IfNotPresent'],
  ] as const) {
    test(`pulls ${image} ${policy}`, () => {
      const { volumes } = completed({ volumes: [{ name: 'a', containerDisk: { image } }] })
      assert.equal(volumes?.[0]?.containerDisk?.imagePullPolicy, policy)
    })
  }

  test('keeps the pull policy of the VM', () => {
    const { volumes } = completed({ volumes: [{ name: 'a', containerDisk: { image: 'a:latest', imagePullPolicy: 'Never' } }] })
    assert.equal(volumes?.[0]?.containerDisk?.imagePullPolicy, 'Never')
  })

  test('fills in a spec that has no domain at all', () => {
    const spec = {} as VirtualMachineInstanceSpec
    completeVmiSpecInto(spec, defaultClusterConfig)
    assert.ok(spec.domain.devices.interfaces !== undefined)
  })
})
