import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { replicaSets } from '#api/apps/v1/resources.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { parseLabelSelector } from '#apimachinery/selectors/label-selector.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { claimDependents, decideAdoption } from './adoption.ts'
import { controllerReference } from './controller-reference.ts'

const selector = parseLabelSelector('app=a')
const deletionTimestamp = '2026-01-01T00:00:00Z'
const owner: ReplicaSet = { metadata: { namespace: 'default', name: 'a', uid: 'u1' }, spec: { selector: {} } }

function pod(app: string, controller?: string): Pod {
  const ownerReferences = controller === undefined ? [] : [{ ...controllerReference(replicaSets, owner), uid: controller }]
  return { metadata: { namespace: 'default', name: 'p', labels: { app }, ownerReferences }, spec: { containers: [] } }
}

suite('judgeClaim()', () => {
  for (const [reason, going, object, expected] of [
    ['keeps its own', false, pod('a', 'u1'), 'own'],
    ['keeps its own to the end', true, pod('a', 'u1'), 'own'],
    ['releases a pod that no longer matches', false, pod('b', 'u1'), 'release'],
    ['releases nothing while it is being deleted', true, pod('b', 'u1'), 'foreign'],
    ['ignores an object with another controller', false, pod('a', 'u2'), 'foreign'],
    ['adopts an object without controller', false, pod('a'), 'adopt'],
    ['adopts nothing while it is being deleted', true, pod('a'), 'foreign'],
    ['adopts no pod that is being deleted', false, { ...pod('a'), metadata: { ...pod('a').metadata, deletionTimestamp } }, 'foreign'],
    ['adopts nothing that does not match', false, pod('b'), 'foreign'],
  ] as const) {
    test(reason, () => {
      const metadata = { ...owner.metadata, ...(going ? { deletionTimestamp } : {}) }
      assert.equal(decideAdoption({ resource: replicaSets, owner: { ...owner, metadata }, selector }, object), expected)
    })
  }
})

suite('claim()', () => {
  test('adopts and releases, and adopts nothing for an owner that was recreated meanwhile', async () => {
    const api = new MemoryApi()
    const signal = new AbortController().signal
    const made = await api.create(replicaSets, owner)
    const orphan = await api.create(pods, pod('a'))
    const foreign = await api.create(pods, {
      ...pod('b', made.metadata.uid),
      metadata: { ...pod('b', made.metadata.uid).metadata, name: 'q' },
    })
    const claimant = { resource: replicaSets, owner: made, selector }
    const claimed = await claimDependents(api, claimant, pods, [orphan, foreign], signal)
    assert.deepEqual(
      claimed.map(({ metadata }) => metadata.name),
      ['p'],
    )
    assert.deepEqual(
      api.all(pods).map((one) => controllerOf(one)?.uid),
      [made.metadata.uid, undefined],
    )
    await api.delete(replicaSets, { namespace: 'default', name: 'a' })
    await api.create(replicaSets, owner)
    const later = await api.create(pods, { ...pod('a'), metadata: { ...pod('a').metadata, name: 'r' } })
    assert.deepEqual(await claimDependents(api, claimant, pods, [later], signal), [])
    assert.equal(controllerOf(later), undefined)
  })
})
