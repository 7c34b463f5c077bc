import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { configMaps, nodes, secrets } from '#api/core/v1/resources.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { eventually } from '#cluster/kubelet/kubelet.fixture.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createGarbageCollector } from './garbage-collector.ts'
import type { ResourceCatalog } from '../resource-catalog.ts'

const kinds: readonly ResourceType<KubeObject>[] = [configMaps, secrets, nodes]
const catalog: ResourceCatalog = { scalable: () => undefined, resources: () => kinds, onChange: () => ({ [Symbol.dispose]: () => {} }) }

/** Events of the current test. */
let told: string[] = []
const recorder: Recorder = {
  event: (object, type, reason, message) => void told.push(`${object.kind} ${object.metadata?.name} ${type} ${reason} ${message}`),
  flush: () => Promise.resolve(),
}

async function withCollector(work: (api: MemoryApi) => Promise<void>, resources: ResourceCatalog = catalog): Promise<void> {
  told = []
  const api = new MemoryApi()
  const stop = new AbortController()
  const running = createGarbageCollector({ client: api, catalog: resources, clock, log, recorder }).run(stop.signal)
  try {
    await work(api)
  } finally {
    stop.abort()
    await running
  }
}

function make(
  api: MemoryApi,
  resource: ResourceType<KubeObject>,
  name: string,
  owners: readonly OwnerReference[] = [],
  namespace = 'a',
): Promise<KubeObject> {
  const metadata = { name, ...(resource.namespaced ? { namespace } : {}), ...(owners.length === 0 ? {} : { ownerReferences: [...owners] }) }
  return api.create(resource, { metadata })
}

function reference(owner: KubeObject, block = false): OwnerReference {
  const { name = '', uid = '' } = owner.metadata ?? {}
  return { apiVersion: 'v1', kind: owner.kind ?? '', name, uid, ...(block ? { blockOwnerDeletion: true } : {}) }
}

const names = (api: MemoryApi): string[] => kinds.flatMap((kind) => api.all(kind).map((object) => object.metadata?.name ?? '')).toSorted()
const settle = (): Promise<void> => clock.sleep(60)

suite('createGarbageCollector()', () => {
  test('deletes objects without an existing owner, recursively', () =>
    withCollector(async (api) => {
      const top = await make(api, configMaps, 'top')
      const middle = await make(api, secrets, 'middle', [reference(top)])
      await make(api, configMaps, 'leaf', [reference(middle)])
      await make(api, configMaps, 'other')
      await api.delete(configMaps, { namespace: 'a', name: 'top' })
      await eventually(() => names(api).join() === 'other')
    }))

  test('keeps an object that still has an owner, and drops the reference to the deleted one', () =>
    withCollector(async (api) => {
      const one = await make(api, configMaps, 'one')
      const two = await make(api, configMaps, 'two')
      await make(api, secrets, 'child', [reference(one), reference(two)])
      await api.delete(configMaps, { namespace: 'a', name: 'one' })
      const child = await eventually(() => {
        const found = api.peek(secrets, 'a', 'child')
        return found?.metadata.ownerReferences?.length === 1 && found
      })
      assert.equal(child.metadata.ownerReferences?.[0]?.name, 'two')
    }))

  test('delays a foreground deletion until its blocking dependents are deleted', () =>
    withCollector(async (api) => {
      const top = await make(api, configMaps, 'top')
      const child = await make(api, secrets, 'child', [reference(top, true)])
      await api.patch(secrets, { namespace: 'a', name: 'child' }, { type: 'merge', body: { metadata: { finalizers: ['test/hold'] } } })
      await api.delete(configMaps, { namespace: 'a', name: 'top' }, { propagationPolicy: 'Foreground' })
      await eventually(() => api.peek(secrets, 'a', 'child')?.metadata.deletionTimestamp)
      assert.deepEqual(names(api), ['child', 'top'])
      assert.notEqual(child.metadata?.uid, undefined)
      await api.patch(secrets, { namespace: 'a', name: 'child' }, { type: 'merge', body: { metadata: { finalizers: [] } } })
      await eventually(() => names(api).length === 0)
    }))

  test('releases the dependents of an orphaning deletion', () =>
    withCollector(async (api) => {
      const top = await make(api, configMaps, 'top')
      await make(api, secrets, 'child', [reference(top)])
      await api.delete(configMaps, { namespace: 'a', name: 'top' }, { propagationPolicy: 'Orphan' })
      await eventually(() => names(api).join() === 'child')
      assert.deepEqual(api.peek(secrets, 'a', 'child')?.metadata.ownerReferences, [])
    }))

  test('treats an owner in another namespace as absent, and emits an event', () =>
    withCollector(async (api) => {
      const top = await make(api, configMaps, 'top', [], 'b')
      await settle()
      await make(api, secrets, 'child', [reference(top)])
      await eventually(() => names(api).join() === 'top')
      const owner = `[v1/ConfigMap, namespace: a, name: top, uid: ${top.metadata?.uid}]`
      assert.equal(told[0], `Secret child Warning OwnerRefInvalidNamespace ownerRef ${owner} does not exist in namespace "a"`)
    }))

  test('keeps dependents of an owner of unknown kind', () =>
    withCollector(async (api) => {
      await make(api, secrets, 'child', [{ apiVersion: 'example.org/v1', kind: 'Thing', name: 'x', uid: 'x' }])
      await settle()
      assert.deepEqual(names(api), ['child'])
    }))

  test('watches resources that are added later', async () => {
    let served: readonly ResourceType<KubeObject>[] = kinds.slice(0, 1)
    const listeners = new Set<() => void>()
    const growing: ResourceCatalog = {
      scalable: () => undefined,
      resources: () => served,
      onChange: (listener) => {
        listeners.add(listener)
        return { [Symbol.dispose]: () => void listeners.delete(listener) }
      },
    }
    await withCollector(async (api) => {
      const top = await make(api, configMaps, 'top')
      await make(api, secrets, 'child', [reference(top)])
      await api.delete(configMaps, { namespace: 'a', name: 'top' })
      await settle()
      assert.deepEqual(names(api), ['child'])
      served = kinds
      for (const listener of listeners) listener()
      await eventually(() => names(api).length === 0)
    }, growing)
  })

  test('agrees with the model for any graph with cycles and any order of deletions', async () => {
    const graph = fc.record({
      owners: fc.array(fc.array(fc.record({ owner: fc.nat(7), block: fc.boolean() }), { maxLength: 3 }), { minLength: 2, maxLength: 8 }),
      deletions: fc.array(
        fc.record({ deleted: fc.nat(7), policy: fc.constantFrom('Background' as const, 'Foreground' as const, 'Orphan' as const) }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
    })
    await fc.assert(
      fc.asyncProperty(graph, ({ owners, deletions }) =>
        withCollector(async (api) => {
          const size = owners.length
          const model = new Map(
            owners.map((refs, index) => [index, new Set(refs.map(({ owner }) => owner % size).filter((owner) => owner !== index))]),
          )
          await build(api, owners, model)
          for (const { deleted, policy } of deletions) {
            const index = deleted % size
            if (!model.has(index)) continue
            await api.delete(kindOf(index), keyOf(index), { propagationPolicy: policy })
            removeFromModel(model, index, policy)
            const expected = [...model.keys()]
              .map((left) => `o${left}`)
              .toSorted()
              .join()
            await eventually(() => names(api).join() === expected, 3_000).catch(() => assert.equal(names(api).join(), expected))
          }
        }),
      ),
      { numRuns: 40 },
    )
  })
})

const kindOf = (index: number): ResourceType<KubeObject> => kinds[index % 2] ?? configMaps
const keyOf = (index: number): { namespace: string; name: string } => ({ namespace: 'a', name: `o${index}` })

/** Creates the objects first and links them afterwards, so that cycles are possible. */
async function build(
  api: MemoryApi,
  owners: readonly (readonly { owner: number; block: boolean }[])[],
  model: ReadonlyMap<number, ReadonlySet<number>>,
): Promise<void> {
  const made = await Promise.all(owners.map((_, index) => make(api, kindOf(index), `o${index}`)))
  for (const [index, ownerIndexes] of model) {
    const ownerReferences = [...ownerIndexes].map((owner) => {
      const block = owners[index]?.some((ref) => ref.owner % owners.length === owner && ref.block) === true
      return reference(made[owner] ?? {}, block)
    })
    await api.patch(kindOf(index), keyOf(index), { type: 'merge', body: { metadata: { ownerReferences } } })
  }
}

function removeFromModel(model: Map<number, Set<number>>, deleted: number, policy: string): void {
  model.delete(deleted)
  if (policy === 'Orphan') for (const owners of model.values()) owners.delete(deleted)
  for (let changed = true; changed;) {
    changed = false
    for (const [index, owners] of model) {
      if (owners.size === 0 || [...owners].some((owner) => model.has(owner))) continue
      model.delete(index)
      changed = true
    }
  }
  // References to deleted owners are dropped from the objects that remain.
  for (const owners of model.values()) for (const owner of owners) if (!model.has(owner)) owners.delete(owner)
}
