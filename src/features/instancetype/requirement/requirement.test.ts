import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findIndivisibleSpread } from './divisibility.ts'
import { findUnmetRequirement, requirementCause } from './requirement.ts'

const domain = 'spec.template.spec.domain'

function spec(cpu: VirtualMachineInstanceSpec['domain']['cpu'], guest?: string): VirtualMachineInstanceSpec {
  return {
    domain: { devices: {}, ...(cpu === undefined ? {} : { cpu }), ...(guest === undefined ? {} : { memory: { guest } }) },
    architecture: 'amd64',
  }
}

function requiring(guest: number, preferredCPUTopology: string, across?: string): VirtualMachinePreferenceSpec {
  return {
    cpu: { preferredCPUTopology, ...(across === undefined ? {} : { spreadOptions: { across } }) },
    requirements: { cpu: { guest } },
  }
}

const cpuRows: readonly (readonly [
  string,
  VirtualMachineInstanceSpec['domain']['cpu'],
  VirtualMachinePreferenceSpec,
  string | undefined,
  string,
])[] = [
  ['sockets', { sockets: 2 }, requiring(2, 'sockets'), undefined, ''],
  ['too few sockets', { sockets: 1, cores: 8 }, requiring(2, 'sockets'), `${domain}.cpu.sockets`, 'sockets'],
  ['too few cores', { sockets: 8, cores: 1 }, requiring(2, 'preferCores'), `${domain}.cpu.cores`, 'cores'],
  ['too few threads', { threads: 1 }, requiring(2, 'threads'), `${domain}.cpu.threads`, 'threads'],
  ['any level', { sockets: 2, cores: 2, threads: 2 }, requiring(8, 'any'), undefined, ''],
  [
    'too few anywhere',
    { sockets: 2 },
    requiring(8, 'any'),
    [`${domain}.cpu.cores`, `${domain}.cpu.sockets`, `${domain}.cpu.threads`].join(', '),
    'cores, sockets and threads',
  ],
  ['spread', { sockets: 2, cores: 2 }, requiring(4, 'spread'), undefined, ''],
  ['too little spread', { sockets: 2, threads: 4 }, requiring(4, 'spread'), `${domain}.cpu.sockets, ${domain}.cpu.cores`, 'SocketsCores'],
  [
    'too little spread over threads',
    { sockets: 4 },
    requiring(4, 'spread', 'CoresThreads'),
    `${domain}.cpu.cores, ${domain}.cpu.threads`,
    'CoresThreads',
  ],
]

suite('findUnmetRequirement()', () => {
  for (const [name, cpu, preference, field, label] of cpuRows) {
    test(`judges ${name}`, () => {
      const unmet = findUnmetRequirement({ spec: spec(cpu), instancetype: undefined }, preference)
      assert.equal(unmet === undefined ? undefined : requirementCause(unmet).field, field)
      if (unmet !== undefined) assert.ok(unmet.message.endsWith(`vCPU provided as ${label}`))
    })
  }

  test("uses the instance type's number of CPUs", () => {
    const small = { cpu: { guest: 1 }, memory: { guest: '1024Mi' } }
    const unmet = findUnmetRequirement({ spec: spec({ sockets: 4 }), instancetype: small }, requiring(2, 'sockets'))
    assert.deepEqual(unmet, {
      fields: ['spec.instancetype'],
      message: 'insufficient CPU resources of 1 vCPU provided by instance type, preference requires 2 vCPU',
    })
    assert.equal(findUnmetRequirement({ spec: spec({}), instancetype: small }, { requirements: { memory: { guest: '1Gi' } } }), undefined)
  })

  for (const [name, preferred] of [
    ['sockets', requiring(4, 'sockets')],
    ['cores', requiring(4, 'cores')],
    ['threads', requiring(4, 'threads')],
    ['any', requiring(4, 'any')],
    ['spread', requiring(4, 'spread')],
    ['no topology', { requirements: { cpu: { guest: 4 } } }],
  ] as const) {
    for (const guest of [3, 4, 5]) {
      test(`judges ${guest} vCPUs of an instance type for ${name} only by their number`, () => {
        const instancetype = { cpu: { guest }, memory: { guest: '1Gi' } }
        const unmet = findUnmetRequirement({ spec: spec({ sockets: 1, cores: 1, threads: 1 }), instancetype }, preferred)
        assert.deepEqual(unmet?.fields, guest < 4 ? ['spec.instancetype'] : undefined)
      })
    }
  }

  test('requires CPUs of a VM that has none', () => {
    assert.deepEqual(findUnmetRequirement({ spec: spec(undefined), instancetype: undefined }, requiring(1, 'sockets')), {
      fields: [`${domain}.cpu`],
      message: 'no CPU resources provided by VirtualMachine, preference requires 1 vCPU',
    })
  })

  for (const [guest, required, isMet] of [
    ['1024Mi', '1Gi', true],
    ['1Gi', '1024Mi', true],
    ['1073741824', '1Gi', true],
    ['1G', '1Gi', false],
    ['1023Mi', '1Gi', false],
    ['0Mi', '1Gi', false],
  ] as const) {
    test(`finds ${guest} ${isMet ? 'enough' : 'too little'} for ${required}, from the instance type or the VM`, () => {
      const preference = { requirements: { memory: { guest: required } } }
      const instancetype = { cpu: { guest: 1 }, memory: { guest } }
      const byType = findUnmetRequirement({ spec: spec({}), instancetype }, preference)
      const byVm = findUnmetRequirement({ spec: spec({}, guest), instancetype: undefined }, preference)
      assert.deepEqual([byType?.fields, byVm?.fields], isMet ? [undefined, undefined] : [['spec.instancetype'], [`${domain}.memory`]])
    })
  }

  test('prints sizes as Go does', () => {
    const unmet = findUnmetRequirement(
      { spec: spec({}), instancetype: { cpu: { guest: 1 }, memory: { guest: '0Mi' } } },
      { requirements: { memory: { guest: '1024Mi' } } },
    )
    assert.equal(unmet?.message, 'insufficient Memory resources of 0 provided by instance type, preference requires 1Gi')
  })

  test('names the first of CPU, memory and architecture', () => {
    const all = { requirements: { cpu: { guest: 8 }, memory: { guest: '8Gi' }, architecture: 'arm64' } }
    const unmet = (cpu: object, guest: string): readonly string[] | undefined =>
      findUnmetRequirement({ spec: spec(cpu, guest), instancetype: undefined }, all)?.fields
    assert.deepEqual(unmet({ sockets: 1 }, '1Gi'), [`${domain}.cpu.sockets`])
    assert.deepEqual(unmet({ sockets: 8 }, '1Gi'), [`${domain}.memory`])
    assert.deepEqual(unmet({ sockets: 8 }, '8Gi'), ['spec.template.spec.architecture'])
  })

  test('accepts everything without requirements', () => {
    assert.equal(findUnmetRequirement({ spec: spec(undefined), instancetype: undefined }, {}), undefined)
    assert.equal(findUnmetRequirement({ spec: spec(undefined), instancetype: undefined }, { requirements: {} }), undefined)
    assert.equal(findUnmetRequirement({ spec: spec({}), instancetype: undefined }, { requirements: { architecture: 'amd64' } }), undefined)
  })

  test('compares memory by value and names the object with too little', () => {
    const preference = { requirements: { memory: { guest: '1Gi' } } }
    assert.equal(findUnmetRequirement({ spec: spec({}, '1024Mi'), instancetype: undefined }, preference), undefined)
    assert.deepEqual(findUnmetRequirement({ spec: spec({}), instancetype: undefined }, preference), {
      fields: [`${domain}.memory`],
      message: 'insufficient Memory resources of 0 provided by VirtualMachine, preference requires 1Gi',
    })
  })

  test('compares the architecture', () => {
    const unmet = findUnmetRequirement({ spec: spec({}), instancetype: undefined }, { requirements: { architecture: 'arm64' } })
    assert.deepEqual(unmet, {
      fields: ['spec.template.spec.architecture'],
      message: 'preference requires architecture arm64 but amd64 is being requested',
    })
  })
})

suite('findIndivisibleSpread()', () => {
  const rejected = [
    [3, 'SocketsCores', 2],
    [2, 'SocketsCores', 3],
    [4, 'SocketsCores', 3],
    [3, 'CoresThreads', 2],
    [5, 'CoresThreads', 2],
    [5, 'SocketsCoresThreads', 2],
    [6, 'SocketsCoresThreads', 4],
    [1, 'SocketsCores', 2],
  ] as const
  for (const [guest, across, ratio] of rejected) {
    for (const preferredCPUTopology of ['spread', 'preferSpread']) {
      test(`refuses ${guest} over ${across} with ratio ${ratio} as ${preferredCPUTopology}`, () => {
        const instancetype = { cpu: { guest }, memory: { guest: '1Gi' } }
        const cause = findIndivisibleSpread(instancetype, { cpu: { preferredCPUTopology, spreadOptions: { across, ratio } } })
        assert.equal(cause?.field, 'instancetype.spec.cpu.guest')
      })
    }
  }

  test('accepts divisible numbers, a ratio of 0, and topologies other than spread', () => {
    const instancetype = { cpu: { guest: 6 }, memory: { guest: '1Gi' } }
    for (const preference of [
      { cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 3 } } },
      { cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 0 } } },
      { cpu: { preferredCPUTopology: 'cores', spreadOptions: { ratio: 4 } } },
      undefined,
    ]) {
      assert.equal(findIndivisibleSpread(instancetype, preference), undefined)
    }
  })
})
