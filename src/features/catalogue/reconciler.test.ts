import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineClusterInstancetypes as resource } from '#api/instancetype/v1beta1/resources.ts'
import type { Client } from '#client/client.ts'
import type { Result } from '#runtime/controller/reconcile.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { catalogueInstancetypes } from './instancetypes.ts'
import { createCatalogueReconciler, type Deployment } from './reconciler.ts'

const catalogue = new Map(catalogueInstancetypes().map((object) => [object.metadata.name ?? '', object]))
const stored = { ...catalogue.get('u1.large'), metadata: { ...catalogue.get('u1.large')?.metadata, uid: 'u', resourceVersion: '8' } }

/** Runs one reconcile, and returns its result and writes. */
async function look(name: string, options: { deployment: Deployment; quietMs?: number; spec?: object }): Promise<[Result, string[]]> {
  const did: string[] = []
  const clock = createVirtualClock()
  const note = (verb: string, what: unknown): Promise<unknown> => Promise.resolve(did.push(`${verb} ${JSON.stringify(what)}`))
  const entry = { ...stored, ...(options.spec === undefined ? {} : { spec: options.spec }) } as never
  const reconciler = createCatalogueReconciler({
    client: {
      create: (_: unknown, { metadata }: { metadata: { name: string } }) => note('create', metadata.name),
      patch: (_: unknown, key: unknown, { body }: { body: { metadata: object } }) => note('patch', [key, body.metadata]),
      delete: (_: unknown, key: unknown, { preconditions }: { preconditions: unknown }) => note('delete', [key, preconditions]),
    } as unknown as Client,
    resource,
    entries: { get: (_, key) => (key === 'u1.large' ? entry : undefined), list: () => [entry], byIndex: () => [] },
    catalogue,
    deployment: () => options.deployment,
    notBefore: clock.now() + (options.quietMs ?? 0),
    recorder: { event: (_object, type, reason) => did.push(`${type} ${reason}`) },
    clock,
  })
  return [await reconciler({ namespace: '', name }, { signal: new AbortController().signal }), did]
}

suite('createCatalogueReconciler()', () => {
  test('does nothing without an installation', async () => {
    assert.deepEqual(await look('u1.small', { deployment: undefined }), [{}, []])
    assert.deepEqual(await look('u1.large', { deployment: undefined, spec: {} }), [{}, []])
  })

  test('waits until the system has started', async () => {
    assert.deepEqual(await look('u1.small', { deployment: 'enabled', quietMs: 500 }), [{ requeueAfterMs: 500 }, []])
  })

  test('creates missing objects, and keeps existing ones', async () => {
    assert.deepEqual(await look('u1.small', { deployment: 'enabled' }), [{}, ['create "u1.small"']])
    assert.deepEqual(await look('u1.large', { deployment: 'enabled' }), [{}, []])
  })

  test('reverts only the resourceVersion that it has read, and emits an event', async () => {
    const [, did] = await look('u1.large', { deployment: 'enabled', spec: { cpu: { guest: 7 } } })
    assert.deepEqual(did, ['patch [{"name":"u1.large"},{"resourceVersion":"8"}]', 'Warning Restored'])
  })

  test('removes only the object with the UID and resourceVersion that it has read', async () => {
    const [, did] = await look('u1.large', { deployment: 'disabled' })
    assert.deepEqual(did, ['delete [{"name":"u1.large"},{"uid":"u","resourceVersion":"8"}]'])
  })
})
