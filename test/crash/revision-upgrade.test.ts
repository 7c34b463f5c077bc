import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { virtualMachineClusterInstancetypes, virtualMachineClusterPreferences } from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { hasFormat, isShared, referencesOf, type RevisionFormat } from '#features/instancetype/index.ts'
import { InvariantChecker, describeAll } from '#features/revision-upgrade/invariant-checker.fixture.ts'
import { legacyShapes } from '#features/revision-upgrade/legacy-revisions.fixture.ts'
import { linux, small } from '#features/revision-upgrade/simulated-cluster.fixture.ts'
import { ControlPlane, type Component } from '../support/control-plane.ts'
import { eventually } from '../support/machine.ts'
import { Recording, Replayed } from '../support/observers/recording.ts'
import { repeats, seed } from '../support/effort.ts'

/** Number of kills. The requirement is about 200. */
const kills = repeats({ default: 3, long: 6 })
const namespace = 'shop'
const gates = [[], ['InstancetypeV1'], ['SharedRevisions'], ['InstancetypeV1', 'SharedRevisions']] as const
const recorded = [controllerRevisions, virtualMachines, virtualMachineInstances, virtualMachineSnapshotContents]

suite(`processes that are killed while revisions are replaced (seed ${seed})`, () => {
  const roll = createSeededRandom(seed).below
  const resources = new AsyncDisposableStack()
  let plane: ControlPlane
  let recording: Recording
  let round = 0
  let wanted: RevisionFormat = { version: 'v1beta1', sharing: 'own' }
  const killed: Component[] = []

  before(async () => {
    plane = resources.use(await ControlPlane.create())
    plane.start('apiserver')
    await persist(() => plane.client.create(namespaces, { metadata: { name: namespace } }))
    await persist(() => plane.client.list(virtualMachineSnapshots))
    await publish()
    plane.start('one')
    plane.start('two')
    await eventually(isSettled, describe, 120_000)
    for (const name of ['vm-0', 'vm-1']) await create(virtualMachineSnapshots, snapshotOf(name))
    await eventually(hasSnapshots, describe, 120_000)
    recording = resources.use(new Recording(plane.client))
    await recording.start(recorded)
  })
  after(() => resources.disposeAsync())

  /**
   * Repeats a request until it succeeds: the API server may be down, or not serve this kind yet,
   * and a write may have happened before it was killed.
   */
  async function persist<T>(attempt: () => Promise<T>): Promise<T | undefined> {
    for (const end = Date.now() + 60_000; ; await sleep(100)) {
      try {
        return await attempt()
      } catch (error) {
        if (isAlreadyExists(error)) return undefined
        if (Date.now() > end) throw error
      }
    }
  }

  /** Repeats a request until it succeeds or the object does not exist. */
  const persistIfPresent = <T>(attempt: () => Promise<T>): Promise<T | undefined> =>
    persist(() =>
      attempt().catch((error: unknown) => {
        if (isNotFound(error)) return undefined
        throw error
      }),
    )

  const create = (resource: Parameters<ControlPlane['client']['create']>[0], object: object): Promise<unknown> =>
    persist(() => plane.client.create(resource, object as KubeObject))

  async function publish(): Promise<void> {
    await create(virtualMachineClusterInstancetypes, { metadata: { name: 'medium' }, spec: small.spec })
    await create(virtualMachineClusterPreferences, { metadata: { name: 'plain' }, spec: linux.spec })
    for (let index = 0; index < 6; index++) {
      const [instancetype, preference] = [{ name: 'medium' }, { name: 'plain' }]
      await create(virtualMachines, vm(`vm-${index}`, { instancetype, preference, runStrategy: index < 4 ? 'Always' : 'Halted' }))
    }
  }

  /** Restores a VM from an old backup, and deletes an earlier one. */
  async function restoreOldVm(): Promise<void> {
    const shape = legacyShapes[round % legacyShapes.length]
    const name = `back-${round}`
    const [type, preference] = [shape?.revision(name, small), shape?.revision(name, linux)]
    for (const revision of [type, preference]) await create(controllerRevisions, revision ?? {})
    const spec = {
      instancetype: { name: 'small', revisionName: type?.metadata.name },
      preference: { name: 'linux', revisionName: preference?.metadata.name },
      runStrategy: 'Halted',
    }
    await create(virtualMachines, vm(name, spec))
    await persistIfPresent(() => plane.client.delete(virtualMachines, { namespace, name: `back-${round - 5}` }))
  }

  /** Changes the storage format of revisions, and restores an old VM. */
  async function changeConfiguration(): Promise<void> {
    round += 1
    await setGates(gates[roll(gates.length)] ?? [])
    await restoreOldVm()
  }

  async function setGates(featureGates: readonly string[]): Promise<void> {
    wanted = {
      version: featureGates.includes('InstancetypeV1') ? 'v1' : 'v1beta1',
      sharing: featureGates.includes('SharedRevisions') ? 'shared' : 'own',
    }
    const body = { spec: { configuration: { developerConfiguration: { featureGates } } } }
    await persist(() => plane.client.patch(kubeVirts, { namespace: 'kubevirt', name: 'kubevirt' }, { type: 'merge', body }))
  }

  async function readState(): Promise<Replayed> {
    const state = new Replayed()
    for (const resource of recorded) {
      const { items = [] } = (await persist(() => plane.client.list(resource as typeof controllerRevisions))) ?? {}
      for (const object of items) state.take({ resource, type: 'ADDED', object: { ...object, kind: resource.kind } as KubeObject })
    }
    return state
  }

  const describe = async (): Promise<string> =>
    `${describeAll(await readState())}\n${plane.logOf('one').slice(-2000)}\n${plane.logOf('two').slice(-2000)}`

  async function isSettled(): Promise<boolean> {
    const state = await readState()
    const guests = state.list(virtualMachineInstances)
    const starts = guests.map(({ status }) => state.get(controllerRevisions, namespace, status?.virtualMachineRevisionName ?? ''))
    if (guests.length < 4 || starts.includes(undefined)) return false
    const named = [...state.list(virtualMachines), ...state.list(virtualMachineSnapshotContents)]
    const places = [...named, ...starts.flatMap((start) => start ?? [])].map((object) => referencesOf(object))
    if (places.some((references) => references.length < 2)) return false
    return places.flat().every(({ revision, family }) => {
      const found = state.get(controllerRevisions, namespace, revision)
      return found !== undefined && hasFormat(found, family, wanted)
    })
  }

  const hasSnapshots = async (): Promise<boolean> => {
    const { items } = await plane.client.list(virtualMachineSnapshots)
    return items.length === 2 && items.every((snapshot) => (snapshot as { status?: { readyToUse?: boolean } }).status?.readyToUse === true)
  }

  /** Waits until a random number of further writes were recorded. */
  async function waitForWrites(): Promise<void> {
    const target = recording.count + 1 + roll(40)
    for (let waited = 0; recording.count < target; waited += 1) {
      if (waited % 20 === 19 && (await isSettled())) await changeConfiguration()
      await sleep(20)
    }
  }

  /** Kills random components, or deletes the lease of the leader. */
  async function injectFault(): Promise<void> {
    const holder = ((await persistIfPresent(() => plane.client.get(leases, { namespace: 'kubevirt', name: 'virt-controller' })))?.spec
      ?.holderIdentity ?? 'one') as Component
    const choice = roll(10)
    // Another process is elected, while the former leader continues until it notices.
    if (choice === 9) await persistIfPresent(() => plane.client.delete(leases, { namespace: 'kubevirt', name: 'virt-controller' }))
    const targets: Component[] = choice < 6 ? [holder] : choice < 8 ? ['apiserver'] : choice === 8 ? ['apiserver', 'one', 'two'] : []
    for (const component of targets) {
      plane.kill(component)
      killed.push(component)
    }
  }

  /**
   * Returns unreferenced revisions that no controller collects. Shared ones have their own grace
   * period.
   */
  async function leaks(): Promise<string[]> {
    const state = await readState()
    const starts = new Set(state.list(virtualMachineInstances).map(({ status }) => status?.virtualMachineRevisionName ?? ''))
    const named = new Set(
      [...state.list(virtualMachines), ...state.list(virtualMachineSnapshotContents), ...state.list(controllerRevisions)].flatMap(
        (object) => referencesOf(object).map(({ revision }) => revision),
      ),
    )
    return state
      .list(controllerRevisions)
      .filter((revision) => revision.metadata.namespace === namespace && !isShared(revision))
      .map(({ metadata }) => metadata.name ?? '')
      .filter((name) => !starts.has(name) && !named.has(name) && !isOfNextStart.test(name))
  }

  test(
    `${kills} times, of an API server and two controllers, it converges and leaks nothing`,
    { timeout: 60_000 + kills * 20_000 },
    async () => {
      while (killed.length < kills) {
        await waitForWrites()
        await injectFault()
      }
      await setGates([])
      await eventually(isSettled, describe, 120_000)
      await eventually(
        async () => (await leaks()).length === 0,
        async () => `left over: ${(await leaks()).join(', ')}\n${await describe()}`,
        120_000,
      )
    },
  )

  test('every reference had a decodable and unchanged revision at all times', (context) => {
    const state = new Replayed()
    recording.play(state, () => new InvariantChecker(state))
    context.diagnostic(`${killed.length} kills, ${round} configuration changes, ${recording.count} writes checked`)
    assert.ok(recording.count > 0)
  })

  test('no component was refused by the shipped RBAC', () => {
    const events = readFileSync(join(plane.directory, 'audit.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"code":403') && line.includes('system:serviceaccount:kubevirt:virt-'))
    assert.deepEqual(events, [])
  })
})

/**
 * `revision-start-vm-<uid>-<generation>`: the next start of this generation uses it again if the
 * gates are the same.
 */
const isOfNextStart = /^revision-start-vm-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+$/

function vm(name: string, spec: object): object {
  return { metadata: { name, namespace }, spec: { ...spec, template: { spec: { domain: { devices: {} } } } } }
}

function snapshotOf(name: string): object {
  return { metadata: { name: `of-${name}`, namespace }, spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name } } }
}
