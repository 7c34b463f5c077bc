import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { instancetypeOf, preferenceOf, vmOf } from '../instancetype.fixture.ts'
import type { Instancetype, Preference } from '../types.ts'
import { domain, expandOf } from './expand.fixture.ts'
import { expand } from './expand.ts'
import type { Source } from './sources.ts'

/**
 * Source of launch security for each combination of VM, instance type and preference that set it.
 */
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

  test('applies VM and instance type with equal values, and both before the preference', () => {
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

  // KubeVirt's store check applies the type to a copy of the spec, but to the template's own
  // annotations.
  test('adds no annotation of an instance type to the template', () => {
    const vm = vmOf({}, { own: 'x' })
    const { vmi } = expand(vm, instancetypeOf({ annotations: { leaked: 'y' } }), undefined, defaultClusterConfig)
    assert.equal(vmi.metadata.annotations['leaked'], 'y')
    assert.deepEqual(vm.spec.template.metadata?.annotations, { own: 'x' })
  })
})

suite('expand() where KubeVirt fails', () => {
  test('accepts CPU features without instance type and without any CPU (KubeVirt: its API server panics)', () => {
    const { vmi } = expandOf({ preference: { cpu: { preferredCPUFeatures: [{ name: 'vmx' }] } } })
    assert.deepEqual(vmi.spec.domain.cpu?.features, [{ name: 'vmx' }])
  })

  test('accepts a ratio of 0 (KubeVirt: division by zero)', () => {
    const { vmi } = expandOf({
      instancetype: { cpu: { guest: 4 } },
      preference: { cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 0 } } },
    })
    const { sockets, cores, threads } = vmi.spec.domain.cpu ?? {}
    assert.deepEqual([sockets, cores, threads], [2, 2, 1])
  })

  test('treats 0 CPUs as 1 (KubeVirt: a guest that never starts)', () => {
    assert.equal(expandOf({ instancetype: { cpu: { guest: 0 } } }).vmi.spec.domain.cpu?.sockets, 1)
  })

  test('keeps a request of "0" for completely overcommitted memory', () => {
    const { vmi } = expandOf({ instancetype: { memory: { guest: '1Gi', overcommitPercent: 100 } } })
    assert.deepEqual([vmi.spec.domain.memory?.guest, vmi.spec.domain.resources?.requests], ['1Gi', { memory: '0' }])
  })

  test("sets display options of the instance type's GPUs (KubeVirt: declared, never applied)", () => {
    const { vmi } = expandOf({
      instancetype: { gpus: [{ name: 'g' }] },
      preference: { devices: { preferredVirtualGPUOptions: { display: { enabled: false } } } },
    })
    assert.deepEqual(vmi.spec.domain.devices.gpus, [{ name: 'g', virtualGPUOptions: { display: { enabled: false } } }])
  })
})

suite('expand() and automatic devices', () => {
  test('creates the network interface with the model and settings of the preference', () => {
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
    test(`creates input devices: ${name}`, () => {
      const { vmi } = expandOf({ vm: { domain: { devices: structuredClone(devices) as object } }, preference: { devices: preferred } })
      assert.deepEqual(vmi.spec.domain.devices.inputs, expected)
    })
  }
})
