import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Client } from '#client/client.ts'
import { createTemplateHashReader, matchesTemplateHash } from './daemonset-revision.ts'

const { signal } = new AbortController()
const recorded = [{ group: 'apps', resource: 'daemonsets', namespace: 'kubevirt', name: 'virt-handler', lastGeneration: 3 }]
const daemonSet = (generation: number, observedGeneration: number): DaemonSet =>
  ({ metadata: { name: 'virt-handler', namespace: 'kubevirt', uid: 'ours', generation }, status: { observedGeneration } }) as DaemonSet
const revision = (uid: string, hash: string, number: number): object => ({
  metadata: { labels: { 'controller-revision-hash': hash }, ownerReferences: [{ uid }] },
  revision: number,
})

/** A client that counts how often it is asked. */
function client(...items: readonly object[]): { readonly list: Client['list']; asked: number } {
  const counting = { asked: 0, list: (() => Promise.resolve({ items: counting.asked++ >= 0 ? items : [] })) as unknown as Client['list'] }
  return counting
}

suite('the template of the agents', () => {
  const rows: readonly (readonly [string, string | undefined, DaemonSet | undefined, readonly object[]])[] = [
    [
      'is the newest of its own revisions',
      'b',
      daemonSet(3, 3),
      [revision('ours', 'a', 1), revision('ours', 'b', 4), revision('other', 'c', 9)],
    ],
    ['is unknown while there is no DaemonSet', undefined, undefined, []],
    ['is unknown while it is edited', undefined, daemonSet(4, 4), [revision('ours', 'a', 1)]],
    ['is unknown until its controller has observed it', undefined, daemonSet(3, 2), [revision('ours', 'a', 1)]],
    ['is unknown without ControllerRevisions', undefined, daemonSet(3, 3), []],
  ]
  for (const [name, wanted, found, revisions] of rows) {
    test(name, async () => assert.equal(await createTemplateHashReader(client(...revisions))(found, recorded, signal), wanted))
  }

  test('is read once per generation', async () => {
    const counting = client(revision('ours', 'a', 1))
    const hashOf = createTemplateHashReader(counting)
    for (let count = 0; count < 3; count++) assert.equal(await hashOf(daemonSet(3, 3), recorded, signal), 'a')
    assert.equal(counting.asked, 1)
  })
})

test('isMadeFrom() returns false only for a different hash', () => {
  const pod = (hash?: string): object => ({ metadata: { labels: hash === undefined ? {} : { 'controller-revision-hash': hash } } })
  const judged = [pod('a'), pod('b'), pod()].map((one) => [
    matchesTemplateHash(one as never, 'a'),
    matchesTemplateHash(one as never, undefined),
  ])
  assert.deepEqual(judged, [
    [true, true],
    [false, true],
    [true, true],
  ])
})
