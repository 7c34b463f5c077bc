import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from './client.ts'
import { patchIfUnchanged, patchStatus } from './patch-status.ts'

interface Widget extends KubeObject {
  readonly status?: { readonly phase?: string; readonly reason?: string; readonly conditions?: readonly Condition[] }
}

const widgets: ResourceType<Widget> = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true }

/** A client that records the patches it is asked for. */
function recording(): { readonly client: Pick<Client, 'patch'>; readonly sent: unknown[] } {
  const sent: unknown[] = []
  const patch = async (_resource: unknown, key: unknown, body: unknown, options: unknown): Promise<never> => {
    sent.push({ key, body, options })
    return { metadata: { name: 'w', resourceVersion: '8' } } as never
  }
  return { client: { patch: patch as Client['patch'] }, sent }
}

const metadata = { namespace: 'default', name: 'w', resourceVersion: '7' }
const key = { namespace: 'default', name: 'w' }

function widget(status: NonNullable<Widget['status']>): Widget {
  return { metadata, status }
}

function condition(type: string, reason: string): Condition {
  return { type, status: 'True', reason }
}

suite('patchIfUnchanged()', () => {
  test('sends the resourceVersion that was read along with other metadata', async () => {
    const { client, sent } = recording()
    await patchIfUnchanged(client, widgets, widget({}), { metadata: { finalizers: ['a'] }, spec: { size: 1 } }, { dryRun: true })
    const body = { spec: { size: 1 }, metadata: { finalizers: ['a'], resourceVersion: '7' } }
    assert.deepEqual(sent, [{ key, body: { type: 'merge', body }, options: { dryRun: true } }])
  })

  test('addresses a cluster-scoped object without namespace', async () => {
    const { client, sent } = recording()
    await patchIfUnchanged(client, { ...widgets, namespaced: false }, { metadata: { name: 'w' } }, {})
    assert.deepEqual((sent[0] as { key: unknown }).key, { name: 'w' })
  })
})

suite('patchStatus()', () => {
  const cases: readonly [string, NonNullable<Widget['status']>, object, object | undefined][] = [
    ['sends only fields that change', { phase: 'A', reason: 'x' }, { phase: 'A', reason: 'y' }, { reason: 'y' }],
    ['removes a field that is null', { phase: 'A', reason: 'x' }, { reason: null }, { reason: null }],
    ['sends nothing when all fields have their value', { phase: 'A' }, { phase: 'A' }, undefined],
    ['sends nothing to remove a field that is absent', { phase: 'A' }, { reason: null }, undefined],
    ['sends nothing for equal lists', { conditions: [condition('A', 'x')] }, { conditions: [condition('A', 'x')] }, undefined],
  ]
  for (const [title, status, change, expected] of cases) {
    test(title, async () => {
      const { client, sent } = recording()
      const read = widget(status)
      const result = await patchStatus(client, widgets, read, change)
      if (expected === undefined) {
        assert.deepEqual(sent, [])
        assert.equal(result, read)
        return
      }
      const body = { status: expected, metadata: { resourceVersion: '7' } }
      assert.deepEqual(sent, [{ key, body: { type: 'merge', body }, options: { subresource: 'status' } }])
      assert.equal(result.metadata?.resourceVersion, '8')
    })
  }

  test('writes through the object where there is no status subresource', async () => {
    const { client, sent } = recording()
    const signal = new AbortController().signal
    await patchStatus(client, { ...widgets, hasStatusSubresource: false }, widget({}), { phase: 'A' }, { signal })
    assert.deepEqual((sent[0] as { options: unknown }).options, { signal })
  })
})

suite('ownedConditions of patchStatus()', () => {
  const shown = [condition('Mine', 'old'), condition('Theirs', 'kept'), condition('AlsoMine', 'old')]
  const owned = ['Mine', 'AlsoMine', 'New']
  const cases: readonly [string, readonly Condition[], readonly Condition[] | undefined][] = [
    [
      'replace in place, remove what is not listed, and follow when new',
      [condition('Mine', 'new'), condition('New', 'new')],
      [condition('Mine', 'new'), condition('Theirs', 'kept'), condition('New', 'new')],
    ],
    ['never touch a condition of another controller', [condition('Theirs', 'overwritten')], [condition('Theirs', 'kept')]],
    ['need no write when they are unchanged', [condition('AlsoMine', 'old'), condition('Mine', 'old')], undefined],
  ]
  for (const [title, conditions, expected] of cases) {
    test(title, async () => {
      const { client, sent } = recording()
      await patchStatus(client, widgets, widget({ conditions: shown }), { conditions }, { ownedConditions: owned })
      const bodies = sent.map((each) => (each as { body: { body: Widget } }).body.body.status?.conditions)
      assert.deepEqual(bodies, expected === undefined ? [] : [expected])
    })
  }
})
