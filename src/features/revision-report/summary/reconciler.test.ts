import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt, KubeVirtStatus } from '#api/kubevirt/v1/kubevirt.ts'
import type { Client } from '#client/client.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { defineRevisionMetrics } from './metrics.ts'
import { createRevisionSummaryReconciler } from './reconciler.ts'
import type { RevisionInventory } from '../types.ts'
import { emptyInventory, healthy, revisionFor } from '../inventory.fixture.ts'

const web = healthy('web')
const whole = { ...emptyInventory, virtualMachines: [web.vm], revisions: web.revisions }

/** A KubeVirt object that is looked at again and again, in a cluster that changes. */
function installation() {
  const clock = createVirtualClock()
  const metrics = createMetrics()
  const state = {
    cluster: whole as RevisionInventory,
    writes: 0,
    kubevirt: { metadata: { name: 'kubevirt', namespace: 'kubevirt', resourceVersion: '1', generation: 1 }, spec: {} } as KubeVirt,
    metrics,
    advance: (ms: number) => clock.advance(ms),
    /** `True`, `False`, or nothing yet. */
    verdict: () => state.kubevirt.status?.conditions?.find(({ type }) => type === 'InstancetypeRevisionsUpToDate')?.status,
    look: () => reconcile({ namespace: 'kubevirt', name: 'kubevirt' }, { signal: new AbortController().signal }),
  }
  const client = {
    async patch(_resource: unknown, _key: unknown, { body }: { body: { metadata: object; status: KubeVirtStatus } }) {
      assert.deepEqual(body.metadata, { resourceVersion: '1' })
      state.writes += 1
      state.kubevirt = { ...state.kubevirt, status: { ...state.kubevirt.status, ...body.status } }
    },
  }
  const reconcile = createRevisionSummaryReconciler({
    client: client as unknown as Client,
    kubevirts: { get: () => state.kubevirt, list: () => [state.kubevirt], byIndex: () => [] },
    cluster: () => state.cluster,
    clock,
    onCounts: defineRevisionMetrics(metrics),
  })
  return state
}

suite('the summary of revisions', () => {
  test('is written only when it changes', async () => {
    const one = installation()
    await one.look()
    assert.deepEqual([one.verdict(), one.writes], ['True', 1])
    await one.advance(10_000)
    await one.look()
    assert.equal(one.writes, 1)
    const old = revisionFor(web.vm, 'instancetype', 'v1alpha2')
    one.cluster = { ...whole, revisions: [...web.revisions, old] }
    await one.advance(10_000)
    await one.look()
    assert.deepEqual([one.verdict(), one.writes], ['False', 2])
  })

  test('is computed at most once per interval, at any rate of changes', async () => {
    const one = installation()
    await one.look()
    one.cluster = emptyInventory
    const { requeueAfterMs = 0 } = await one.look()
    assert.equal(one.kubevirt.status?.steadyvm?.revisions?.total, 2)
    assert.ok(requeueAfterMs > 0)
    await one.advance(requeueAfterMs)
    await one.look()
    assert.equal(one.kubevirt.status?.steadyvm?.revisions?.total, 0)
  })

  test('does not flap when a VM is cached before its revision', async () => {
    const one = installation()
    one.cluster = { ...whole, revisions: [] }
    const { requeueAfterMs = 0 } = await one.look()
    assert.equal(one.verdict(), 'True')
    await one.advance(requeueAfterMs)
    await one.look()
    assert.equal(one.verdict(), 'False')
  })

  test('uses the current spec', async () => {
    const one = installation()
    await one.look()
    const { metadata } = one.kubevirt
    one.kubevirt = {
      ...one.kubevirt,
      metadata: { ...metadata, generation: 2 },
      spec: { configuration: { developerConfiguration: { featureGates: ['SharedRevisions'] } } },
    }
    await one.advance(10_000)
    await one.look()
    const condition = one.kubevirt.status?.conditions?.[0]
    assert.deepEqual([condition?.status, condition?.observedGeneration], ['False', 2])
  })

  test('is exported as metrics, with labels of few values', async () => {
    const one = installation()
    one.cluster = { ...whole, revisions: [...web.revisions, revisionFor({ metadata: { name: 'x' } }, 'preference', 'v7')] }
    await one.look()
    const lines = (await one.metrics.metrics()).split('\n').filter((line) => line.startsWith('steadyvm_instancetype_revisions{'))
    assert.deepEqual(lines.toSorted(), [
      'steadyvm_instancetype_revisions{family="instancetype",version="v1beta1",state="current"} 1',
      'steadyvm_instancetype_revisions{family="preference",version="unknown",state="undecodable"} 1',
      'steadyvm_instancetype_revisions{family="preference",version="v1beta1",state="current"} 1',
    ])
  })
})
