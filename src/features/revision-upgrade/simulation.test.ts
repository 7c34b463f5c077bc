import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineClusterInstancetypes, virtualMachineClusterPreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict, isInvalid, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { TransportError } from '#client/client.ts'
import {
  familyOf,
  revisionFormatOf,
  hasFormat,
  isShared,
  referencesOf,
  refreshAnnotation,
  replacedNames,
  referencedRevisions,
  startRevisionPrefix,
} from '#features/instancetype/index.ts'
import { createVirtualMachineReconciler } from '#features/vm/index.ts'
import type { Reconciler } from '#runtime/controller/reconcile.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { InvariantChecker, describeAll } from './invariant-checker.fixture.ts'
import { legacyShapes, ownedBy } from './legacy-revisions.fixture.ts'
import { Schedule } from './schedule.fixture.ts'
import { SimulatedCache } from './simulated-cache.fixture.ts'
import { linux, named, namespace, refsTo, small, SimulatedCluster } from './simulated-cluster.fixture.ts'
import { repeats, seed as firstSeed } from '#test/effort.ts'

const schedules = repeats({ default: 12, long: 300 })
const names = ['web', 'mail'] as const
const resources = [
  virtualMachines,
  virtualMachineInstances,
  controllerRevisions,
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
]
const clock = createVirtualClock()

type Random = (below: number) => number

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random(items.length)] as T
}

/**
 * Two VMs with captures of any age, of which some are shared, some are named in specs, and some are
 * what a guest was started from.
 */
function clusterOf(random: Random): SimulatedCluster {
  const cluster = new SimulatedCluster()
  for (const [resource, object] of [
    [virtualMachineClusterInstancetypes, small],
    [virtualMachineClusterPreferences, linux],
  ] as const)
    cluster.api.put(resource as typeof virtualMachineClusterInstancetypes, { ...object } as KubeObject)
  for (const name of names) {
    const [type, preference] = [small, linux].map((object) => pick(random, legacyShapes).revision(name, object)) as [
      ControllerRevision,
      ControllerRevision,
    ]
    const [typeName = '', preferenceName = ''] = [type.metadata.name, preference.metadata.name]
    const vm = cluster.addVm(name, named, refsTo(typeName, preferenceName))
    for (const revision of [type, preference]) cluster.addRevision(ownedBy(vm, revision))
    if (random(3) === 0) cluster.patchVm(name, { spec: { instancetype: { ...named.instancetype, revisionName: typeName } } })
    if (random(2) === 0) {
      cluster.patchVm(name, { spec: { runStrategy: 'Always' } })
      cluster.startGuest(name)
    }
  }
  return cluster
}

/**
 * A process that looks at VMs again and again, with caches that lag behind, and starts anew when it
 * is killed.
 */
async function live(
  cluster: SimulatedCluster,
  random: Random,
  make: (cache: SimulatedCache) => Reconciler,
  isOver: () => boolean,
): Promise<void> {
  const start = (): { cache: SimulatedCache; reconcile: Reconciler } => {
    const cache = new SimulatedCache(cluster.api)
    for (const resource of resources) cache.follow(resource)
    return { cache, reconcile: make(cache) }
  }
  let process = start()
  for (let quiet = 0; quiet < 3;) {
    const before = cluster.api.changes.length
    for (const resource of resources) process.cache.follow(resource, isOver() ? 1 : random(5) / 4)
    try {
      for (const name of names) await process.reconcile({ namespace, name }, { signal: new AbortController().signal })
    } catch (error) {
      if (error instanceof TransportError) process = start()
      else if (![isConflict, isInvalid, isNotFound].some((isRetried) => isRetried(error))) throw error
    }
    quiet = isOver() && cluster.api.changes.length === before ? quiet + 1 : 0
    // Even a look that asks for nothing lets others do something.
    await new Promise(setImmediate)
  }
}

/** Random edits of a VM or the cluster. */
function edit(cluster: SimulatedCluster, random: Random): void {
  const name = pick(random, names)
  const vm = cluster.vm(name)
  const family = pick(random, ['instancetype', 'preference'] as const)
  const written = (of: VirtualMachine): string => of.status?.[`${family}Ref`]?.controllerRevisionRef?.name ?? ''
  const setRevision = (revisionName: string): void => {
    if (revisionName === '') return
    cluster.patchVm(name, { spec: { [family]: { ...named[family], revisionName } } })
  }
  const { revisionName: _, ...bare } = vm.spec[family] ?? {}
  const edits: readonly (() => void)[] = [
    () => setRevision(written(vm)),
    // A tool that keeps the manifest in Git writes what it has always written.
    () => setRevision(pick(random, [...Object.keys(replacedNames(vm)).filter((old) => old.includes(named[family].name)), written(vm)])),
    () => cluster.patchVm(name, { spec: { [family]: bare } }),
    () => cluster.patchVm(name, { metadata: { annotations: { [refreshAnnotation]: String(random(1000)) } } }),
    () => cluster.patchVm(name, { spec: { runStrategy: random(2) === 0 ? 'Always' : 'Halted' } }),
    () => {
      const spec = { ...small.spec, memory: { guest: `${1 + random(3)}Gi` } }
      const { metadata } = cluster.api.get(virtualMachineClusterInstancetypes, '', 'small') ?? small
      cluster.api.put(virtualMachineClusterInstancetypes, { metadata, spec } as KubeObject)
    },
    () => cluster.setGates(...['InstancetypeV1', 'SharedRevisions'].filter(() => random(2) === 0)),
  ]
  pick(random, edits)()
}

function vmReconciler(cluster: SimulatedCluster, cache: SimulatedCache, schedule: Schedule): Reconciler {
  const client = cluster.api.client(schedule.gate('vm'))
  return createVirtualMachineReconciler({
    client,
    vms: cache.lister(virtualMachines),
    vmis: cache.lister(virtualMachineInstances),
    dataVolumes: { get: () => undefined },
    claims: { get: () => undefined },
    revisions: cache.lister(controllerRevisions),
    lookup: { client, cached: (resource, inNamespace, name) => cache.lister(resource).get(inNamespace, name) },
    recorder: { event: () => {} },
    clock,
    random: () => 0,
    config: () => cluster.config,
  })
}

/** Checks that all revisions have the wanted format and no old one is left. */
function inspect(cluster: SimulatedCluster): void {
  const vms = cluster.api.list(virtualMachines)
  const inUse = new Set(vms.flatMap((vm) => [...referencedRevisions(vm)]))
  for (const vm of vms) {
    const vmi = cluster.api.get(virtualMachineInstances, namespace, vm.metadata.name ?? '')
    const start = cluster.revision(vmi?.status?.virtualMachineRevisionName ?? '')
    for (const { revision, family, path } of [...referencesOf(vm), ...(start === undefined ? [] : referencesOf(start, vm))]) {
      const found = cluster.revision(revision)
      assert.ok(
        found && hasFormat(found, family, revisionFormatOf(cluster.config)),
        `${vm.metadata.name}${path}: ${revision} is not in the format`,
      )
      inUse.add(revision)
    }
    for (const { written, revision, path } of referencesOf(vm)) if (!path.startsWith('/spec/')) assert.equal(written, revision)
  }
  for (const revision of cluster.api.list(controllerRevisions)) {
    const { name = '' } = revision.metadata
    const family = familyOf(revision)
    if (name.startsWith(startRevisionPrefix) || inUse.has(name) || isShared(revision)) continue
    assert.ok(family && hasFormat(revision, family, { ...revisionFormatOf(cluster.config), sharing: 'own' }), `${name} is left over`)
  }
}

async function play(seed: number): Promise<number> {
  const random = createSeededRandom(seed).below
  const cluster = clusterOf(random)
  const checker = new InvariantChecker(cluster.api)
  checker.check('the start')
  const schedule = new Schedule(random)
  schedule.deathRate = pick(random, [0, 4, 12])
  let edits = random(12)
  const isOver = (): boolean => edits === 0
  const user = async (): Promise<void> => {
    while (edits > 0) {
      await schedule.gate('user').before('get', virtualMachines)
      if (random(4) === 0) {
        edit(cluster, random)
        edits -= 1
      }
    }
    schedule.deathRate = 0
  }
  const upgrader = (process: string): Promise<void> =>
    live(cluster, random, (cache) => cluster.upgrader(cache, schedule.gate(process)), isOver)
  try {
    const vmController = live(cluster, random, (cache) => vmReconciler(cluster, cache, schedule), isOver)
    await schedule.run([upgrader('upgrader 1'), upgrader('upgrader 2'), vmController, user()])
    await cluster.settle()
    inspect(cluster)
  } catch (error) {
    throw new assert.AssertionError({ message: `seed ${seed}: ${String(error)}\n${describeAll(cluster.api)}` })
  }
  return schedule.deaths
}

suite('upgrades', () => {
  test(`keep all references valid in ${schedules} schedules of two upgraders, the VM controller, users and kills`, async () => {
    let deaths = 0
    for (let index = 0; index < schedules; index += 1) deaths += await play(firstSeed + index)
    assert.ok(deaths > schedules / 4, `only ${deaths} deaths`)
  })
})
