import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { leavesOf } from '../leaves.ts'
import type { Draft } from './draft.ts'
import { applyInstancetypeInto } from './instancetype.ts'

type Type = Partial<VirtualMachineInstancetypeSpec>
type Guest = Omit<Partial<VirtualMachineInstanceSpec>, 'domain'> & { readonly domain?: Partial<VirtualMachineInstanceSpec['domain']> }

const plain: VirtualMachineInstancetypeSpec = { cpu: { guest: 1 }, memory: { guest: '1Gi' } }
const cpu = (more: object): Type => ({ cpu: { guest: 1, ...more } })
const memory = (more: object): Type => ({ memory: { guest: '1Gi', ...more } })
const domain = (more: object): Guest => ({ domain: more })

interface Row {
  /** The field of the type. */
  readonly field: string
  readonly type: Type
  /** Path below the VMI's spec, and what is there afterwards. */
  readonly at: string
  readonly value: unknown
  /** A VM that sets the same; it conflicts, or its value gives way. */
  readonly vm: Guest
  /** KubeVirt's name of the field that conflicts; undefined where there is no conflict. */
  readonly conflict: string | undefined
}

const rows: readonly Row[] = [
  {
    field: 'nodeSelector',
    type: { nodeSelector: { a: 'b' } },
    at: 'nodeSelector.a',
    value: 'b',
    vm: { nodeSelector: {} },
    conflict: 'nodeSelector',
  },
  {
    field: 'schedulerName',
    type: { schedulerName: 's' },
    at: 'schedulerName',
    value: 's',
    vm: { schedulerName: 's' },
    conflict: 'schedulerName',
  },
  {
    field: 'cpu.model',
    type: cpu({ model: 'm' }),
    at: 'domain.cpu.model',
    value: 'm',
    vm: domain({ cpu: { model: 'n' } }),
    conflict: 'domain.cpu.model',
  },
  {
    field: 'cpu.dedicatedCPUPlacement',
    type: cpu({ dedicatedCPUPlacement: true }),
    at: 'domain.cpu.dedicatedCpuPlacement',
    value: true,
    vm: domain({ cpu: { dedicatedCpuPlacement: true } }),
    conflict: 'domain.cpu.dedicatedCPUPlacement',
  },
  {
    field: 'cpu.dedicatedCPUPlacement, switched off,',
    type: cpu({ dedicatedCPUPlacement: false }),
    at: 'domain.cpu.dedicatedCpuPlacement',
    value: false,
    vm: domain({ cpu: { dedicatedCpuPlacement: false } }),
    conflict: undefined,
  },
  {
    field: 'cpu.isolateEmulatorThread',
    type: cpu({ isolateEmulatorThread: true }),
    at: 'domain.cpu.isolateEmulatorThread',
    value: true,
    vm: domain({ cpu: { isolateEmulatorThread: true } }),
    conflict: 'domain.cpu.isolateEmulatorThread',
  },
  {
    field: 'cpu.numa',
    type: cpu({ numa: { guestMappingPassthrough: {} } }),
    at: 'domain.cpu.numa.guestMappingPassthrough',
    value: {},
    vm: domain({ cpu: { numa: {} } }),
    conflict: 'domain.cpu.numa',
  },
  {
    field: 'cpu.realtime',
    type: cpu({ realtime: { mask: '0-1' } }),
    at: 'domain.cpu.realtime.mask',
    value: '0-1',
    vm: domain({ cpu: { realtime: {} } }),
    conflict: 'domain.cpu.realtime',
  },
  {
    field: 'cpu.maxSockets',
    type: cpu({ maxSockets: 8 }),
    at: 'domain.cpu.maxSockets',
    value: 8,
    vm: domain({ cpu: { maxSockets: 3 } }),
    conflict: undefined,
  },
  {
    field: 'memory.hugepages',
    type: memory({ hugepages: { pageSize: '2Mi' } }),
    at: 'domain.memory.hugepages.pageSize',
    value: '2Mi',
    vm: domain({ memory: { hugepages: { pageSize: '1Gi' } } }),
    conflict: 'domain.memory.hugepages',
  },
  {
    field: 'memory.maxGuest',
    type: memory({ maxGuest: '4Gi' }),
    at: 'domain.memory.maxGuest',
    value: '4Gi',
    vm: domain({ memory: { maxGuest: '8Gi' } }),
    conflict: 'domain.memory.maxGuest',
  },
  {
    field: 'memory.overcommitPercent',
    type: memory({ overcommitPercent: 50 }),
    at: 'domain.resources.requests.memory',
    value: '512Mi',
    vm: domain({ resources: { requests: { memory: '1Gi' } } }),
    conflict: 'domain.resources.requests.memory',
  },
  {
    field: 'ioThreads',
    type: { ioThreads: { supplementalPoolThreadCount: 4 } },
    at: 'domain.ioThreads.supplementalPoolThreadCount',
    value: 4,
    vm: domain({ ioThreads: { supplementalPoolThreadCount: 4 } }),
    conflict: 'domain.ioThreads.supplementalPoolThreadCount',
  },
  {
    field: 'ioThreadsPolicy',
    type: { ioThreadsPolicy: 'auto' },
    at: 'domain.ioThreadsPolicy',
    value: 'auto',
    vm: domain({ ioThreadsPolicy: 'shared' }),
    conflict: 'domain.ioThreadsPolicy',
  },
  {
    field: 'launchSecurity',
    type: { launchSecurity: { snp: {} } },
    at: 'domain.launchSecurity.snp',
    value: {},
    vm: domain({ launchSecurity: {} }),
    conflict: 'domain.launchSecurity',
  },
  {
    field: 'gpus',
    type: { gpus: [{ name: 'g', deviceName: 'vendor/gpu' }] },
    at: 'domain.devices.gpus[0].deviceName',
    value: 'vendor/gpu',
    vm: domain({ devices: { gpus: [{ name: 'own' }] } }),
    conflict: 'domain.devices.gpus',
  },
  {
    field: 'hostDevices',
    type: { hostDevices: [{ name: 'h', deviceName: 'vendor/nic' }] },
    at: 'domain.devices.hostDevices[0].deviceName',
    value: 'vendor/nic',
    vm: domain({ devices: { hostDevices: [{ name: 'own' }] } }),
    conflict: 'domain.devices.hostDevices',
  },
]

suite('applyInstancetypeInto()', () => {
  for (const { field, type, at, value, vm, conflict } of rows) {
    test(`applies ${field}`, () => {
      const draft = draftOf({})
      assert.deepEqual(applyInstancetypeInto(draft, { ...plain, ...type }, undefined), [])
      assert.deepEqual(leavesOf(draft.spec).get(at), value)
    })

    test(`${conflict === undefined ? 'wins over the VM with' : 'conflicts with the VM over'} ${field}`, () => {
      const draft = draftOf(vm)
      const conflicts = applyInstancetypeInto(draft, { ...plain, ...type }, undefined)
      assert.deepEqual(
        conflicts.map((found) => found.field),
        conflict === undefined ? [] : [`spec.template.spec.${conflict}`],
      )
      if (conflict === undefined) assert.deepEqual(leavesOf(draft.spec).get(at), value)
    })

    // A request for memory conflicts with every type.
    if (field === 'memory.overcommitPercent') continue
    test(`keeps the VM's value when the type has no ${field}`, () => {
      const draft = draftOf(vm)
      const before = leavesOf(structuredClone(draft.spec))
      assert.deepEqual(applyInstancetypeInto(draft, plain, undefined), [])
      const after = leavesOf(draft.spec)
      const isSaid = [...before].filter(([, own]) => typeof own !== 'object')
      for (const [path, own] of isSaid) assert.deepEqual(after.get(path), own, path)
    })
  }

  for (const [name, vm, fields] of [
    ['a CPU request', { resources: { requests: { cpu: '1' } } }, ['resources.requests.cpu']],
    ['a CPU limit', { resources: { limits: { cpu: '1' } } }, ['resources.limits.cpu']],
    ['sockets', { cpu: { sockets: 1 } }, ['cpu.sockets']],
    ['cores', { cpu: { cores: 1 } }, ['cpu.cores']],
    ['threads', { cpu: { threads: 1 } }, ['cpu.threads']],
    ['guest memory', { memory: { guest: '1Gi' } }, ['memory.guest']],
    ['a memory request', { resources: { requests: { memory: '1Gi' } } }, ['resources.requests.memory']],
    ['a memory limit', { resources: { limits: { memory: '1Gi' } } }, ['resources.limits.memory']],
    [
      'only the first of several sizes of memory, after all of the CPU',
      { cpu: { threads: 1 }, memory: { guest: '1Gi' }, resources: { limits: { memory: '1Gi', cpu: '1' } } },
      ['resources.limits.cpu', 'cpu.threads', 'memory.guest'],
    ],
    ['no counts of 0, which Go cannot distinguish from absent ones', { cpu: { sockets: 0, cores: 0, threads: 0, model: '' } }, []],
  ] as const) {
    test(`conflicts over ${name}, for any value in the type`, () => {
      const conflicts = applyInstancetypeInto(
        draftOf({ domain: vm as Guest['domain'] & object }),
        { ...plain, cpu: { guest: 1, model: 'm' } },
        undefined,
      )
      assert.deepEqual(
        conflicts.map(({ field }) => field),
        fields.map((field) => `spec.template.spec.domain.${field}`),
      )
    })
  }

  test('conflicts over an annotation with another value, also without a base path', () => {
    const draft = { ...draftOf({}), annotations: { 'a/b': '1', same: '1' } }
    const conflicts = applyInstancetypeInto(draft, { ...plain, annotations: { 'a/b': '2', same: '1', new: '1' } }, undefined)
    assert.deepEqual(conflicts, [{ field: 'annotations.a/b', path: 'metadata.annotations[a/b]' }])
  })

  test('adds annotations', () => {
    const draft = { ...draftOf({}), annotations: { same: '1' } }
    assert.deepEqual(applyInstancetypeInto(draft, { ...plain, annotations: { same: '1', new: '1' } }, undefined), [])
    assert.deepEqual(draft.annotations, { same: '1', new: '1' })
  })

  test('adds annotations named like properties of every JavaScript object', () => {
    const draft = { ...draftOf({}), annotations: {} }
    const annotations = JSON.parse('{"constructor":"1","toString":"","__proto__":"2"}') as Record<string, string>
    assert.deepEqual(applyInstancetypeInto(draft, { ...plain, annotations }, undefined), [])
    assert.deepEqual(Object.entries(draft.annotations), Object.entries(annotations))
  })

  test('does not modify the instance type', () => {
    const gpus = [{ name: 'g' }]
    const draft = draftOf({})
    applyInstancetypeInto(draft, { ...plain, gpus }, undefined)
    const [gpu] = draft.spec.domain.devices.gpus ?? []
    if (gpu !== undefined) gpu.tag = 'changed'
    assert.deepEqual(gpus, [{ name: 'g' }])
  })

  test('gives one CPU, core and thread when a type from before validation has none (KubeVirt: a guest that never starts)', () => {
    const draft = draftOf({})
    applyInstancetypeInto(draft, { ...plain, cpu: { guest: 0 } }, undefined)
    assert.deepEqual(draft.spec.domain.cpu, { sockets: 1, cores: 1, threads: 1 })
  })

  test('sets no request without overcommitment, so that the cluster default applies', () => {
    for (const overcommitPercent of [undefined, 0]) {
      const draft = draftOf({})
      applyInstancetypeInto(
        draft,
        { ...plain, memory: { guest: '1Gi', ...(overcommitPercent === undefined ? {} : { overcommitPercent }) } },
        undefined,
      )
      assert.equal(draft.spec.domain.resources, undefined)
    }
  })

  test('requests "0" when all memory is overcommitted', () => {
    const draft = draftOf({})
    applyInstancetypeInto(draft, { ...plain, memory: { guest: '1Gi', overcommitPercent: 100 } }, undefined)
    assert.deepEqual(draft.spec.domain.resources?.requests, { memory: '0' })
  })
})

function draftOf({ domain: given, ...spec }: Guest): Draft {
  return { spec: structuredClone({ ...spec, domain: { devices: {}, ...given } }), annotations: {} }
}
