import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig } from '#features/defaults/index.ts'
import { conflictCauses, describeConflicts } from '../conflict/conflict.ts'
import { instancetypeOf, preferenceOf, vmOf } from '../instancetype.fixture.ts'
import type { Instancetype, Preference } from '../types.ts'
import { expand, type Expansion } from './expand.ts'
import type { Source } from './sources.ts'

interface Inputs {
  readonly vm?: Partial<VirtualMachineInstanceSpec>
  readonly annotations?: Record<string, string>
  readonly instancetype?: Partial<VirtualMachineInstancetypeSpec>
  readonly preference?: VirtualMachinePreferenceSpec
}

function expandOf({ vm, annotations, instancetype, preference }: Inputs): Expansion {
  return expand(
    vmOf(vm, annotations),
    instancetype === undefined ? undefined : instancetypeOf(instancetype),
    preference === undefined ? undefined : preferenceOf(preference),
    defaultClusterConfig,
  )
}

function domain(spec: Partial<VirtualMachineInstanceSpec['domain']>): Partial<VirtualMachineInstanceSpec> {
  return { domain: { devices: {}, ...spec } }
}

suite('expand()', () => {
  test('gives the worked example of the documents', () => {
    const { vmi, conflicts } = expandOf({
      vm: { volumes: [{ name: 'root', containerDisk: { image: 'registry/guest:v1' } }] },
      instancetype: { cpu: { guest: 4 }, memory: { guest: '2Gi', overcommitPercent: 15 } },
      preference: { cpu: { preferredCPUTopology: 'spread' }, devices: { preferredDiskBus: 'virtio' } },
    })
    assert.deepEqual(conflicts, [])
    const { cpu, memory, resources, devices } = vmi.spec.domain
    assert.deepEqual([cpu?.sockets, cpu?.cores, cpu?.threads], [2, 2, 1])
    assert.equal(memory?.guest, '2Gi')
    assert.deepEqual(resources?.requests, { memory: '1825361152' })
    assert.deepEqual(devices.disks, [{ name: 'root', disk: { bus: 'virtio' } }])
    assert.deepEqual(
      devices.interfaces?.map((card) => card.name),
      ['default'],
    )
    assert.deepEqual(vmi.spec.networks, [{ name: 'default', pod: {} }])
    assert.equal(vmi.metadata.annotations['kubevirt.io/instancetype-name'], 'small')
    assert.equal(vmi.metadata.annotations['kubevirt.io/preference-name'], 'linux')
  })

  test('names the source of every leaf', () => {
    const { vmi, sources } = expandOf({
      vm: { volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }], hostname: 'mine' },
      instancetype: { cpu: { guest: 2 } },
      preference: { devices: { preferredDiskBus: 'virtio' }, annotations: { 'a.b/c': 'd' } },
    })
    assert.equal(sources.get('spec.hostname'), 'vm')
    assert.equal(sources.get('spec.domain.cpu.sockets'), 'instancetype')
    assert.equal(sources.get('spec.domain.memory.guest'), 'instancetype')
    assert.equal(sources.get('spec.domain.devices.disks[0].name'), 'default')
    assert.equal(sources.get('spec.domain.devices.disks[0].disk.bus'), 'preference')
    assert.equal(sources.get('spec.domain.machine.type'), 'default')
    assert.equal(sources.get('metadata.annotations[a.b/c]'), 'preference')
    assert.equal(sources.get('metadata.annotations[kubevirt.io/instancetype-name]'), 'instancetype')
    assert.deepEqual([...sources.keys()].toSorted(), leafPaths(vmi).toSorted())
  })

  test('gives a complete VMI to which completing adds nothing, and keeps the UUID over expansions', () => {
    const first = expandOf({ instancetype: {} })
    const again = expand({ ...vmOf(), spec: { template: { spec: first.vmi.spec } } }, undefined, undefined, defaultClusterConfig)
    assert.deepEqual(again.vmi.spec, first.vmi.spec)
    assert.match(first.vmi.spec.domain.firmware?.uuid ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('accepts a template without domain or devices', () => {
    const { vmi } = expandOf({ vm: { domain: undefined as never }, instancetype: {} })
    assert.equal(vmi.spec.domain.memory?.guest, '1Gi')
  })
})

/** Who gives launch security when the VM, its instance type and its preference have what is written here. */
const launchSecurityRows: readonly (readonly [
  vm: boolean,
  instancetype: boolean,
  preference: boolean,
  winner: Source | 'conflict' | undefined,
])[] = [
  [false, false, false, undefined],
  [false, false, true, 'preference'],
  [false, true, false, 'instancetype'],
  [false, true, true, 'instancetype'],
  [true, false, false, 'vm'],
  [true, false, true, 'vm'],
  [true, true, false, 'conflict'],
  [true, true, true, 'conflict'],
]

suite('expand() with launch security', () => {
  for (const [vm, instancetype, preference, winner] of launchSecurityRows) {
    test(`${winner ?? 'nobody'} decides where ${[vm && 'VM', instancetype && 'instance type', preference && 'preference'].filter(Boolean).join(', ') || 'nobody'} asks`, () => {
      const { conflicts, sources } = expandOf({
        vm: domain(vm ? { launchSecurity: { sev: {} } } : {}),
        instancetype: instancetype ? { launchSecurity: { snp: {} } } : {},
        preference: preference ? { preferredLaunchSecurity: { tdx: {} } } : {},
      })
      if (winner === 'conflict') {
        assert.deepEqual(
          conflicts.map(({ path }) => path),
          ['spec.domain.launchSecurity'],
        )
        return
      }
      const [[, source] = []] = [...sources].filter(([path]) => path.startsWith('spec.domain.launchSecurity'))
      assert.deepEqual([conflicts, source], [[], winner])
    })
  }
})

const kinds = [
  ['VirtualMachineInstancetype', 'kubevirt.io/instancetype-name'],
  ['VirtualMachineClusterInstancetype', 'kubevirt.io/cluster-instancetype-name'],
  ['VirtualMachinePreference', 'kubevirt.io/preference-name'],
  ['VirtualMachineClusterPreference', 'kubevirt.io/cluster-preference-name'],
] as const

suite('expand() and annotations', () => {
  for (const [kind, annotation] of kinds) {
    test(`names a ${kind} in ${annotation}, also one of 253 characters`, () => {
      const name = 'n'.repeat(253)
      const found = { kind, metadata: { name } }
      const isType = kind === 'VirtualMachineInstancetype' || kind === 'VirtualMachineClusterInstancetype'
      const { vmi } = isType
        ? expand(vmOf(), { ...instancetypeOf(), ...found } as Instancetype, undefined, defaultClusterConfig)
        : expand(vmOf(), undefined, { ...preferenceOf(), ...found } as Preference, defaultClusterConfig)
      assert.deepEqual(vmi.metadata.annotations, { [annotation]: name })
    })
  }

  test('lets the VM win over the instance type with equal values only, and both over the preference', () => {
    const { vmi, sources } = expandOf({
      annotations: { a: 'vm' },
      instancetype: { annotations: { b: 'instancetype' } },
      preference: { annotations: { a: 'preference', b: 'preference', c: 'preference' } },
    })
    const { a, b, c } = vmi.metadata.annotations
    assert.deepEqual([a, b, c], ['vm', 'instancetype', 'preference'])
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => sources.get(`metadata.annotations.${key}`)),
      ['vm', 'instancetype', 'preference'],
    )
  })

  // KubeVirt's store check applies the type to a copy of the spec, but to the template's own annotations.
  test('leaves no annotation of an instance type in the template', () => {
    const vm = vmOf({}, { own: 'x' })
    const { vmi } = expand(vm, instancetypeOf({ annotations: { leaked: 'y' } }), undefined, defaultClusterConfig)
    assert.equal(vmi.metadata.annotations['leaked'], 'y')
    assert.deepEqual(vm.spec.template.metadata?.annotations, { own: 'x' })
  })
})

suite('expand() where KubeVirt fails', () => {
  test('takes CPU features without instance type and without any CPU (KubeVirt: its API server panics)', () => {
    const { vmi } = expandOf({ preference: { cpu: { preferredCPUFeatures: [{ name: 'vmx' }] } } })
    assert.deepEqual(vmi.spec.domain.cpu?.features, [{ name: 'vmx' }])
  })

  test('takes a ratio of 0 (KubeVirt: division by zero)', () => {
    const { vmi } = expandOf({
      instancetype: { cpu: { guest: 4 } },
      preference: { cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 0 } } },
    })
    const { sockets, cores, threads } = vmi.spec.domain.cpu ?? {}
    assert.deepEqual([sockets, cores, threads], [2, 2, 1])
  })

  test('takes no CPUs at all for one (KubeVirt: a guest that never starts)', () => {
    assert.equal(expandOf({ instancetype: { cpu: { guest: 0 } } }).vmi.spec.domain.cpu?.sockets, 1)
  })

  test('keeps a request of "0" for memory that is overcommitted by all of it', () => {
    const { vmi } = expandOf({ instancetype: { memory: { guest: '1Gi', overcommitPercent: 100 } } })
    assert.deepEqual([vmi.spec.domain.memory?.guest, vmi.spec.domain.resources?.requests], ['1Gi', { memory: '0' }])
  })

  test('gives display options to the GPUs of the instance type (KubeVirt: declared, never applied)', () => {
    const { vmi } = expandOf({
      instancetype: { gpus: [{ name: 'g' }] },
      preference: { devices: { preferredVirtualGPUOptions: { display: { enabled: false } } } },
    })
    assert.deepEqual(vmi.spec.domain.devices.gpus, [{ name: 'g', virtualGPUOptions: { display: { enabled: false } } }])
  })
})

suite('expand() and devices that are made', () => {
  test('makes the card that the preference steers and decorates', () => {
    const { vmi } = expandOf({ preference: { devices: { preferredInterfaceModel: 'e1000e', preferredInterfaceMasquerade: {} } } })
    assert.deepEqual(vmi.spec.domain.devices.interfaces, [{ name: 'default', masquerade: {}, model: 'e1000e' }])
    assert.equal(expandOf({ preference: { devices: { preferredAutoattachPodInterface: false } } }).vmi.spec.networks, undefined)
    const own = expandOf({
      vm: { domain: { devices: { autoattachPodInterface: true } } },
      preference: { devices: { preferredAutoattachPodInterface: false } },
    })
    assert.equal(own.vmi.spec.networks?.length, 1)
  })

  for (const [name, devices, preferred, expected] of [
    ['none by itself', {}, {}, undefined],
    ['none where it is refused', { autoattachInputDevice: false }, { preferredAutoattachInputDevice: true }, undefined],
    ['one where it is asked for', { autoattachInputDevice: true }, {}, [{ name: 'default-0', bus: 'usb', type: 'tablet' }]],
    [
      'one of the preferred kind where the preference asks',
      {},
      { preferredAutoattachInputDevice: true, preferredInputBus: 'virtio', preferredInputType: 'keyboard' },
      [{ name: 'default-0', bus: 'virtio', type: 'keyboard' }],
    ],
    [
      'none besides those of the VM',
      { autoattachInputDevice: true, inputs: [{ name: 'own', bus: 'usb', type: 'tablet' }] },
      {},
      [{ name: 'own', bus: 'usb', type: 'tablet' }],
    ],
  ] as const) {
    test(`makes input devices: ${name}`, () => {
      const { vmi } = expandOf({ vm: { domain: { devices: structuredClone(devices) as object } }, preference: { devices: preferred } })
      assert.deepEqual(vmi.spec.domain.devices.inputs, expected)
    })
  }
})

const conflictRows: readonly (readonly [string, Inputs, readonly string[]])[] = [
  ['guest memory', { vm: domain({ memory: { guest: '1Gi' } }), instancetype: {} }, ['spec.template.spec.domain.memory.guest']],
  [
    'CPU topology and requests, in order',
    {
      vm: domain({ cpu: { sockets: 1, cores: 2, threads: 3 }, resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }),
      instancetype: {},
    },
    ['resources.requests.cpu', 'resources.limits.cpu', 'cpu.sockets', 'cpu.cores', 'cpu.threads'].map(
      (path) => `spec.template.spec.domain.${path}`,
    ),
  ],
  [
    'memory limits',
    { vm: domain({ resources: { limits: { memory: '1Gi' } } }), instancetype: {} },
    ['spec.template.spec.domain.resources.limits.memory'],
  ],
  [
    'a CPU model of both',
    { vm: domain({ cpu: { model: 'a' } }), instancetype: { cpu: { guest: 1, model: 'b' } } },
    ['spec.template.spec.domain.cpu.model'],
  ],
  [
    'dedicated CPUs of both',
    { vm: domain({ cpu: { dedicatedCpuPlacement: true } }), instancetype: { cpu: { guest: 1, dedicatedCPUPlacement: true } } },
    ['spec.template.spec.domain.cpu.dedicatedCPUPlacement'],
  ],
  ['node selectors', { vm: { nodeSelector: {} }, instancetype: { nodeSelector: { a: 'b' } } }, ['spec.template.spec.nodeSelector']],
  ['schedulers', { vm: { schedulerName: 'a' }, instancetype: { schedulerName: 'a' } }, ['spec.template.spec.schedulerName']],
  [
    'I/O threads policy',
    { vm: domain({ ioThreadsPolicy: 'auto' }), instancetype: { ioThreadsPolicy: 'auto' } },
    ['spec.template.spec.domain.ioThreadsPolicy'],
  ],
  [
    'I/O threads',
    { vm: domain({ ioThreads: { supplementalPoolThreadCount: 1 } }), instancetype: { ioThreads: { supplementalPoolThreadCount: 1 } } },
    ['spec.template.spec.domain.ioThreads.supplementalPoolThreadCount'],
  ],
  [
    'launch security',
    { vm: domain({ launchSecurity: {} }), instancetype: { launchSecurity: {} } },
    ['spec.template.spec.domain.launchSecurity'],
  ],
  [
    'GPUs',
    { vm: { domain: { devices: { gpus: [{ name: 'a' }] } } }, instancetype: { gpus: [{ name: 'b' }] } },
    ['spec.template.spec.domain.devices.gpus'],
  ],
  [
    'host devices',
    { vm: { domain: { devices: { hostDevices: [{ name: 'a' }] } } }, instancetype: { hostDevices: [{ name: 'b' }] } },
    ['spec.template.spec.domain.devices.hostDevices'],
  ],
  ['annotations of another value', { annotations: { 'a/b': '1' }, instancetype: { annotations: { 'a/b': '2' } } }, ['annotations.a/b']],
]

suite('expand() with conflicts', () => {
  for (const [name, inputs, fields] of conflictRows) {
    test(`reports ${name}`, () => {
      const { conflicts } = expandOf(inputs)
      assert.deepEqual(
        conflicts.map((conflict) => conflict.field),
        fields,
      )
    })
  }

  test('does not apply the preference, and leaves what the VM says', () => {
    const { vmi } = expandOf({ vm: domain({ memory: { guest: '3Gi' } }), instancetype: {}, preference: { preferredSubdomain: 'x' } })
    assert.equal(vmi.spec.subdomain, undefined)
    assert.equal(vmi.spec.domain.memory?.guest, '3Gi')
    assert.equal(vmi.spec.domain.cpu, undefined)
  })

  test('describes them as KubeVirt does', () => {
    const { conflicts } = expandOf({ vm: domain({ memory: { guest: '1Gi' }, cpu: { cores: 1 } }), instancetype: {} })
    const [cpu, memory] = ['spec.template.spec.domain.cpu.cores', 'spec.template.spec.domain.memory.guest']
    assert.equal(describeConflicts(conflicts), `VM field(s) ${cpu}, ${memory} conflicts with selected instance type`)
    assert.deepEqual(conflictCauses(conflicts)[1], {
      reason: 'FieldValueInvalid',
      message: `VM field(s) ${memory} conflicts with selected instance type`,
      field: memory,
    })
  })

  test('has none for equal annotations, a lone limit of the VM, or maxSockets', () => {
    assert.deepEqual(expandOf({ annotations: { 'a/b': '1' }, instancetype: { annotations: { 'a/b': '1' } } }).conflicts, [])
    assert.deepEqual(expandOf({ vm: domain({ memory: { maxGuest: '4Gi' } }), instancetype: {} }).conflicts, [])
    const both = expandOf({ vm: domain({ cpu: { maxSockets: 3 } }), instancetype: { cpu: { guest: 1, maxSockets: 8 } } })
    assert.deepEqual([both.conflicts, both.vmi.spec.domain.cpu?.maxSockets], [[], 8])
  })
})

function leafPaths(value: unknown, path = ''): string[] {
  if (value === undefined) return []
  const isObject = typeof value === 'object' && value !== null
  const entries = isObject ? Object.entries(value).filter(([, item]) => item !== undefined) : []
  if (entries.length === 0) return [path]
  return entries.flatMap(([key, item]) => {
    if (Array.isArray(value)) return leafPaths(item, `${path}[${key}]`)
    if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return leafPaths(item, `${path}[${key}]`)
    return leafPaths(item, path === '' ? key : `${path}.${key}`)
  })
}
