import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { conflictCauses, describeConflicts } from '../conflict.ts'
import { vmOf } from '../instancetype.fixture.ts'
import { domain, expandOf, type Inputs } from './expand.fixture.ts'
import { expand } from './expand.ts'

suite('expand()', () => {
  test('returns the result of the documented example', () => {
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

  test('returns a VMI without missing defaults, and keeps UUID and serial number over expansions', () => {
    const first = expandOf({ instancetype: {} })
    const again = expand({ ...vmOf(), spec: { template: { spec: first.vmi.spec } } }, undefined, undefined, defaultClusterConfig)
    assert.deepEqual(again.vmi.spec, first.vmi.spec)
    const { uuid, serial } = first.vmi.spec.domain.firmware ?? {}
    assert.notEqual(uuid, serial)
    for (const id of [uuid, serial]) assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('treats null as absent, as Go does', () => {
    const vm = { cpu: null, devices: { disks: [{ name: 'a', disk: null }], rng: null } } as never
    const { vmi, conflicts } = expandOf({
      vm: { domain: vm, nodeSelector: null as never, volumes: [{ name: 'a', containerDisk: { image: 'i' }, emptyDisk: null as never }] },
      instancetype: { nodeSelector: { a: 'b' } },
      preference: { devices: { preferredRng: {} } },
    })
    assert.deepEqual([conflicts, vmi.spec.domain.devices.rng, vmi.spec.nodeSelector], [[], {}, { a: 'b' }])
  })

  test('accepts a template without domain or devices', () => {
    const { vmi } = expandOf({ vm: { domain: undefined as never }, instancetype: {} })
    assert.equal(vmi.spec.domain.memory?.guest, '1Gi')
  })
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

  test('does not apply the preference, and keeps the values of the VM', () => {
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
