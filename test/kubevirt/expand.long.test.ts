import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { catalogueInstancetypes, cataloguePreferences } from '#features/catalogue/index.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { describeConflicts, expand, expandVirtualMachine, type Instancetype, type Preference } from '#features/instancetype/index.ts'
import { instancetypeSpecs, preferenceSpecs, vms } from '#features/instancetype/random.fixture.ts'
import { seed } from '../support/effort.ts'
import { differencesOf } from './differences.ts'
import { startOracle, type Oracle } from './oracle.ts'

interface Case {
  readonly vm: VirtualMachine
  readonly instancetype?: Instancetype
  readonly preference?: Preference
}

interface Answer {
  readonly expanded?: VirtualMachine
  readonly expandError?: string
  readonly vmi?: VirtualMachineInstanceSpec
  readonly vmiError?: string
  readonly ownExpanded?: VirtualMachine
  readonly ownVmi?: VirtualMachineInstanceSpec
}

/** Upstream binds a default network by `bridge`, and this project by `masquerade`. */
const config = { network: { defaultNetworkInterface: 'masquerade' } }

/**
 * Differences that are deliberate: a pattern of their lines, and the reason. A line is
 * `VMI|expanded path: upstream's value -> our value`.
 */
const deliberate: readonly (readonly [RegExp, string])[] = [
  [/^VMI domain\.firmware\.uuid: /, 'both derive it from the VM, each in its own way'],
  [/^VMI domain\.firmware\.serial: undefined -> /, 'a guest keeps its serial number over restarts'],
  [
    /domain\.cpu\.(sockets|cores|threads): undefined -> 1$/,
    'upstream gives a guest 0 sockets when its preference wants more levels than it has CPUs',
  ],
  [/^VMI domain\.cpu\.maxSockets: undefined -> \d+$/, 'the same'],
  [/virtualGPUOptions: undefined -> /, 'upstream never applies the preferred options of virtual GPUs'],
]

async function compare(t: TestContext, oracle: Oracle, cases: Iterable<Case>): Promise<void> {
  const found = new Map<string, { count: number; example: string }>()
  let [compared, refused] = [0, 0]
  for (const { vm, instancetype, preference } of cases) {
    const own = expandVirtualMachine(vm, instancetype, preference, defaultClusterConfig)
    const { vmi, conflicts } = expand(vm, instancetype, preference, defaultClusterConfig)
    const answer = (await oracle.ask({
      vm,
      instancetype: instancetype?.spec,
      preference: preference?.spec,
      config,
      expanded: own.conflicts === undefined ? own.vm : undefined,
      vmi: conflicts.length > 0 ? undefined : vmi.spec,
    })) as Answer
    const isMatched = instancetype !== undefined || preference !== undefined
    const add = (line: string): void => {
      const shape = line.replaceAll(/\[\d+\]/g, '[]')
      const entry = found.get(shape) ?? { count: 0, example: JSON.stringify({ vm: vm.spec, instancetype, preference }) }
      found.set(shape, { ...entry, count: entry.count + 1 })
    }
    compared++
    if (answer.expandError !== undefined) {
      refused++
      // Upstream panics at some objects that its schema refuses.
      const said = own.conflicts === undefined ? 'nothing' : describeConflicts(own.conflicts)
      if (!answer.expandError.startsWith('panic: ') && sorted(said) !== sorted(answer.expandError))
        add(`refusal: ${answer.expandError} -> ${said}`)
      continue
    }
    const lines = [
      // A VM without matchers stays as it is.
      ...(isMatched ? differencesOf(answer.expanded, answer.ownExpanded).map((line) => `expanded ${line}`) : []),
      ...differencesOf(answer.vmi, answer.ownVmi).map((line) => `VMI ${line}`),
    ]
    for (const line of lines) if (!deliberate.some(([pattern]) => pattern.test(line))) add(line)
  }
  const rows = [...found]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([line, { count, example }]) => `${count} ${line}\n  ${example}`)
  assert.equal(rows.length, 0, rows.slice(0, 40).join('\n'))
  t.diagnostic(`${compared} VMs, of which ${refused} are refused: expanded and started as upstream does`)
}

/** Upstream names annotations in the random order of a map. */
function sorted(refusal: string): string {
  return refusal.split(/[ ,]+/).toSorted().join(' ')
}

/** Templates of a small VM, and of one that fills in much of what a preference may decide. */
const templates: readonly VirtualMachineInstanceSpec[] = [
  { domain: { devices: {} } } as VirtualMachineInstanceSpec,
  {
    volumes: [
      { name: 'root', containerDisk: { image: 'registry.test/guest:v1' } },
      { name: 'tools', containerDisk: { image: 'registry.test/tools' } },
      { name: 'data', cloudInitNoCloud: { userData: '#cloud-config' } },
    ],
    networks: [{ name: 'pods', pod: {} }],
    domain: {
      devices: {
        disks: [
          { name: 'root', disk: {}, bootOrder: 1 },
          { name: 'tools', cdrom: {} },
        ],
        interfaces: [{ name: 'pods', masquerade: {} }],
        watchdog: { name: 'dog' },
      },
      firmware: { bootloader: { efi: {} } },
      features: { hyperv: { spinlocks: {}, synictimer: { direct: {} } } },
    },
    readinessProbe: { tcpSocket: { port: 22 } },
  },
]

function* catalogueCases(): Generator<Case> {
  for (const template of templates) {
    const vm = vmWith(template)
    const instancetypes = catalogueInstancetypes() as unknown as readonly Instancetype[]
    const preferences = cataloguePreferences() as unknown as readonly Preference[]
    for (const instancetype of instancetypes) for (const preference of preferences) yield { vm, instancetype, preference }
    for (const preference of preferences) yield { vm, preference }
    for (const instancetype of instancetypes) yield { vm, instancetype }
  }
}

function vmWith(spec: VirtualMachineInstanceSpec): VirtualMachine {
  const matchers = { instancetype: { name: 'type' }, preference: { name: 'preference' } }
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'vm', namespace: 'default', uid: '7c0e0000-0000-4000-8000-000000000000' },
    spec: { runStrategy: 'Halted', ...matchers, template: { spec } },
  }
}

test('VMs of the catalogue are expanded and started as upstream does', async (t) => {
  const started = await startOracle('expand')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  await compare(t, oracle, catalogueCases())
})

test('random VMs are expanded and started as upstream does', async (t) => {
  const started = await startOracle('expand')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  const cases = fc.sample(
    fc.tuple(vms, fc.option(instancetypeSpecs, { nil: undefined, freq: 3 }), fc.option(preferenceSpecs, { nil: undefined, freq: 3 })),
    { numRuns: 4000, seed },
  )
  await compare(
    t,
    oracle,
    cases.filter(isComparable).map(([vm, type, preference]): Case => ({
      vm: { ...vm, metadata: vmWith(templates[0]!).metadata, spec: { ...vm.spec, ...matchersOf(type, preference) } },
      ...(type === undefined
        ? {}
        : { instancetype: { kind: 'VirtualMachineInstancetype', metadata: { name: 'type' }, spec: type } as Instancetype }),
      ...(preference === undefined
        ? {}
        : { preference: { kind: 'VirtualMachinePreference', metadata: { name: 'preference' }, spec: preference } as Preference }),
    })),
  )
})

/** Leaves out VMs and preferences that admission refuses, and one difference of much effect. */
function isComparable([{ spec }, , preference]: readonly [VirtualMachine, unknown, VirtualMachinePreferenceSpec | undefined]): boolean {
  const { volumes = [], domain } = spec.template.spec
  // Upstream shows a guest the volume of its own memory dump as a disk.
  if (volumes.some(({ memoryDump }) => memoryDump !== undefined)) return false
  if (new Set(volumes.map(({ name }) => name)).size < volumes.length) return false
  if ((domain?.devices?.disks ?? []).some(({ disk, cdrom, lun }) => [disk, cdrom, lun].filter((kind) => kind !== undefined).length > 1))
    return false
  // Upstream expands a VM into one with a network that its preference refuses.
  if (preference?.devices?.preferredAutoattachPodInterface === false) return false
  return preference?.cpu?.preferredCPUTopology !== ('nonsense' as never) && preference?.cpu?.spreadOptions?.across !== ('nonsense' as never)
}

function matchersOf(type: unknown, preference: unknown): object {
  return {
    ...(type === undefined ? {} : { instancetype: { name: 'type' } }),
    ...(preference === undefined ? {} : { preference: { name: 'preference' } }),
  }
}
