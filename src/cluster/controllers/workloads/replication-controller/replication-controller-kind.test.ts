import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ReplicationController } from '#api/core/v1/replication-controller.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import { mapInformer } from './mapped-informer.ts'
import { asReplicaSet } from './replication-controller-kind.ts'

const controller = (name: string): ReplicationController => ({
  metadata: { name, namespace: 'default', uid: `u-${name}` },
  spec: { replicas: 2, selector: { app: name }, template: { metadata: { labels: { app: name } }, spec: { containers: [] } } },
  status: { replicas: 1 },
})

suite('a ReplicationController as a ReplicaSet', () => {
  test('differs in its selector only, and is converted to the same object every time', () => {
    const old = controller('a')
    const view = asReplicaSet(old)
    assert.deepEqual(view, { ...old, spec: { ...old.spec, selector: { matchLabels: { app: 'a' } } } })
    assert.equal(asReplicaSet(old), view)
  })

  test('chooses no pod when it has no selector', () => {
    assert.deepEqual(asReplicaSet({ metadata: {} }).spec.selector, { matchLabels: {} })
  })

  test('mapInformer() maps objects and events', () => {
    const [a, b] = [controller('a'), controller('b')]
    const listeners: ((event: CacheEvent<ReplicationController>) => void)[] = []
    const informer: Informer<ReplicationController> = {
      get: (_namespace, name) => (name === 'a' ? a : undefined),
      list: () => [a, b],
      byIndex: (index, value) => (index === 'x' && value === 'y' ? [b] : []),
      onEvent: (listener) => {
        listeners.push(listener)
        return { [Symbol.dispose]: () => undefined }
      },
      addIndex: (_name, index) => assert.deepEqual(index(a), ['a']),
      synced: async () => undefined,
      hasSynced: true,
    }
    const mapped = mapInformer(informer, asReplicaSet)
    assert.deepEqual(
      [mapped.get('default', 'a'), mapped.get('default', 'c'), mapped.list(), mapped.byIndex('x', 'y'), mapped.hasSynced],
      [asReplicaSet(a), undefined, [asReplicaSet(a), asReplicaSet(b)], [asReplicaSet(b)], true],
    )
    mapped.addIndex('name', ({ spec }) => [spec.selector.matchLabels?.['app'] ?? ''])
    const told: unknown[] = []
    mapped.onEvent((event) => told.push(event))
    for (const listener of listeners) {
      listener({ type: 'added', object: a })
      listener({ type: 'updated', object: b, old: a })
    }
    assert.deepEqual(told, [
      { type: 'added', object: asReplicaSet(a) },
      { type: 'updated', object: asReplicaSet(b), old: asReplicaSet(a) },
    ])
  })
})
