import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { validateVmiSpec } from '#features/vmi/index.ts'
import { validateInstancetype, validatePreference } from './admission.ts'
import { expand } from '../expand/expand.ts'
import { instancetypeOf, preferenceOf, vmOf } from '../instancetype.fixture.ts'
import { extremeInstancetypeSpecs, extremePreferenceSpecs } from '../random.fixture.ts'
import { findIndivisibleSpread } from '../requirement/divisibility.ts'
import { findUnmetRequirement } from '../requirement/requirement.ts'

const size: VirtualMachineInstancetypeSpec = { cpu: { guest: 2 }, memory: { guest: '1Gi' } }

const instancetypes: readonly (readonly [string, Partial<VirtualMachineInstancetypeSpec>, readonly string[]])[] = [
  ['a plain size', {}, []],
  ['a guest without CPUs', { cpu: { guest: 0 } }, []],
  ['fewer than no CPUs', { cpu: { guest: -1 } }, ['spec.cpu.guest']],
  ['more CPUs than a machine type supports', { cpu: { guest: 2 ** 32 - 1 } }, ['spec.cpu.guest']],
  ['half a CPU', { cpu: { guest: 1.5 } }, ['spec.cpu.guest']],
  ['an unknown I/O threads policy', { ioThreadsPolicy: 'many' }, ['spec.ioThreadsPolicy']],
  ['more than 32 bits of sockets', { cpu: { guest: 1, maxSockets: 2 ** 32 } }, ['spec.cpu.maxSockets']],
  ['no memory', { memory: { guest: '0' } }, []],
  ['10^30 bytes', { memory: { guest: '1e30' } }, ['spec.memory.guest']],
  ['half a byte', { memory: { guest: '500m' } }, ['spec.memory.guest']],
  ['text for memory', { memory: { guest: 'plenty' } }, ['spec.memory.guest']],
  ['a maximum below the size', { memory: { guest: '2Gi', maxGuest: '1Gi' } }, ['spec.memory.maxGuest']],
  ['a maximum of the same size in another notation', { memory: { guest: '1Gi', maxGuest: '1024Mi' } }, []],
  ['an invalid maximum', { memory: { guest: '1Gi', maxGuest: '-1' } }, ['spec.memory.maxGuest']],
  ['huge pages', { memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } }, []],
  ['huge pages that do not divide', { memory: { guest: '1Gi', hugepages: { pageSize: '3Mi' } } }, ['spec.memory.hugepages.pageSize']],
  ['huge pages of no size', { memory: { guest: '1Gi', hugepages: { pageSize: '0' } } }, ['spec.memory.hugepages.pageSize']],
  ['100 % overcommitment', { memory: { guest: '1Gi', overcommitPercent: 100 } }, []],
  ['101 % overcommitment', { memory: { guest: '1Gi', overcommitPercent: 101 } }, ['spec.memory.overcommitPercent']],
  ['less than no overcommitment', { memory: { guest: '1Gi', overcommitPercent: -1 } }, ['spec.memory.overcommitPercent']],
  [
    'overcommitment of huge pages',
    { memory: { guest: '1Gi', overcommitPercent: 1, hugepages: { pageSize: '2Mi' } } },
    ['spec.memory.overcommitPercent'],
  ],
  ['an annotation in Unicode', { annotations: { ключ: 'x' } }, ['spec.annotations']],
  ['an annotation with a value in Unicode', { annotations: { 'a/b': 'значение' } }, []],
  ['an invalid node label', { nodeSelector: { 'a b': 'x' } }, ['spec.nodeSelector']],
]

const preferences: readonly (readonly [string, VirtualMachinePreferenceSpec, readonly string[]])[] = [
  ['nothing', {}, []],
  ['an unknown topology', { cpu: { preferredCPUTopology: 'sideways' } }, ['spec.cpu.preferredCPUTopology']],
  ['an unknown spread', { cpu: { preferredCPUTopology: 'spread', spreadOptions: { across: 'Nodes' } } }, ['spec.cpu.spreadOptions.across']],
  [
    'three threads per core',
    { cpu: { preferredCPUTopology: 'spread', spreadOptions: { across: 'CoresThreads', ratio: 3 } } },
    ['spec.cpu.spreadOptions.ratio'],
  ],
  [
    'three threads per core as preferSpread, by the deprecated ratio',
    { cpu: { preferredCPUTopology: 'preferSpread', spreadOptions: { across: 'CoresThreads' } }, preferSpreadSocketToCoreRatio: 3 },
    ['spec.cpu.spreadOptions.ratio'],
  ],
  ['spread options of a topology that is not spread', { cpu: { preferredCPUTopology: 'cores', spreadOptions: { across: 'Nodes' } } }, []],
  ['a ratio of 0, which KubeVirt divides by', { cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 0 } } }, []],
  ['a negative ratio', { cpu: { spreadOptions: { ratio: -2 } } }, ['spec.cpu.spreadOptions.ratio']],
  ['more than 32 bits of ratio', { preferSpreadSocketToCoreRatio: 2 ** 32 }, ['spec.preferSpreadSocketToCoreRatio']],
  ['text for required memory', { requirements: { memory: { guest: 'plenty' } } }, ['spec.requirements.memory.guest']],
  ['a negative grace period', { preferredTerminationGracePeriodSeconds: -1 }, ['spec.preferredTerminationGracePeriodSeconds']],
  ['a subdomain in Unicode', { preferredSubdomain: 'дом' }, ['spec.preferredSubdomain']],
  ['an annotation with a blank', { annotations: { 'a b': 'x' } }, ['spec.annotations']],
]

suite('validateInstancetype()', () => {
  for (const [name, spec, fields] of instancetypes) {
    test(`judges ${name}`, () => assert.deepEqual(fieldsOf(validateInstancetype({ ...size, ...spec })), fields))
  }

  test('warns of sizes of 0, which clients in Go write for absent ones', () => {
    assert.deepEqual(validateInstancetype({ cpu: { guest: 0 }, memory: { guest: '0' } }).warnings, [
      "spec.cpu.guest '0': guests get 1 CPU",
      "spec.memory.guest '0': guests without memory cannot start",
    ])
  })

  test('warns of launch security', () => {
    assert.deepEqual(validateInstancetype({ ...size, launchSecurity: {} }).warnings, [
      'launchSecurity is deprecated and will be removed in a future release. Use preference instead.',
    ])
  })

  test('warns of fewer sockets than CPUs', () => {
    assert.equal(validateInstancetype({ ...size, cpu: { guest: 4, maxSockets: 2 } }).warnings.length, 1)
    for (const maxSockets of [0, 4, 8]) assert.deepEqual(validateInstancetype({ ...size, cpu: { guest: 4, maxSockets } }).warnings, [])
  })

  test("uses KubeVirt's message for overcommitment", () => {
    const { causes } = validateInstancetype({ ...size, memory: { guest: '1Gi', overcommitPercent: 200, hugepages: { pageSize: '2Mi' } } })
    assert.deepEqual(
      causes.map(({ message }) => message),
      [
        "spec.memory.overcommitPercent '200': must be in range between 0 and 100.",
        'spec.memory.overcommitPercent and spec.memory.hugepages should not be requested together.',
      ],
    )
  })

  test('returns a field for every error, and accepts only types that give a valid guest', () => {
    const property = fc.property(extremeInstancetypeSpecs, (spec) => {
      const { causes } = validateInstancetype(spec)
      for (const { field } of causes) assert.ok(field?.startsWith('spec.') === true)
      const { vmi } = expand(vmOf(), instancetypeOf(spec), undefined, defaultClusterConfig)
      // Whether there are more sockets than may be plugged depends on the preference, so that only
      // a VM can be refused for it.
      const isJudgeable = causes.length === 0 && !(spec.cpu.maxSockets && spec.cpu.maxSockets < spec.cpu.guest)
      if (isJudgeable) assert.deepEqual(validateVmiSpec(vmi.spec, 'spec', defaultClusterConfig), [])
    })
    fc.assert(property, { numRuns: 2000 })
  })
})

suite('validatePreference()', () => {
  for (const [name, spec, fields] of preferences) {
    test(`judges ${name}`, () => assert.deepEqual(fieldsOf(validatePreference(spec)), fields))
  }

  for (const [old, current] of [
    ['preferSockets', 'sockets'],
    ['preferCores', 'cores'],
    ['preferThreads', 'threads'],
    ['preferSpread', 'spread'],
    ['preferAny', 'any'],
  ] as const) {
    test(`warns of ${old}`, () => {
      assert.deepEqual(validatePreference({ cpu: { preferredCPUTopology: old } }).warnings, [
        `PreferredCPUTopology ${old} is deprecated for removal in a future release, please use ${current} instead`,
      ])
    })
  }

  test('warns when one preference is overridden by another', () => {
    const { warnings } = validatePreference({
      firmware: { preferredUseBios: true, preferredEfi: {} },
      clock: { preferredClockOffset: { utc: {}, timezone: 'Europe/Prague' } },
    })
    assert.deepEqual([warnings.length, validatePreference({ firmware: { preferredUseBios: false, preferredEfi: {} } }).warnings], [2, []])
  })

  test('returns a field for every error, and never throws for any input', () => {
    const property = fc.property(extremePreferenceSpecs, extremeInstancetypeSpecs, (preference, instancetype) => {
      for (const { field } of validatePreference(preference).causes) assert.ok(field?.startsWith('spec.') === true)
      for (const sized of [instancetype, undefined]) {
        const { vmi } = expand(vmOf(), sized && instancetypeOf(sized), preferenceOf(preference), defaultClusterConfig)
        findUnmetRequirement({ spec: vmi.spec, instancetype: sized }, preference)
      }
      findIndivisibleSpread(instancetype, preference)
    })
    fc.assert(property, { numRuns: 2000 })
  })
})

function fieldsOf({ causes }: ReturnType<typeof validateInstancetype>): (string | undefined)[] {
  return causes.map(({ field }) => field)
}
