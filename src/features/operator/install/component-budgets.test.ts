import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { createComponentBudgetReconciler, decideBudget } from './component-budgets.ts'

const deployment = (replicas: number | undefined, metadata: object = {}): Deployment =>
  ({
    metadata: { name: 'virt-api', namespace: 'kubevirt', uid: 'd', ...metadata },
    spec: { ...(replicas === undefined ? {} : { replicas }), selector: { matchLabels: { 'kubevirt.io': 'virt-api' } } },
  }) as unknown as Deployment
const budget = (minAvailable: number): PodDisruptionBudget => ({
  metadata: { name: 'virt-api-pdb', namespace: 'kubevirt', uid: 'b' },
  spec: { minAvailable },
})

suite('a component', () => {
  const rows: readonly (readonly [string, Deployment | undefined, PodDisruptionBudget | undefined, string])[] = [
    ['with one replica has no PodDisruptionBudget', deployment(1), undefined, 'none'],
    ['with default replicas has none', deployment(undefined), undefined, 'none'],
    ['with several replicas keeps all but one', deployment(3), undefined, 'keep 2'],
    ['with the right PodDisruptionBudget is not changed', deployment(3), budget(2), 'none'],
    ['that was scaled up gets a larger one', deployment(4), budget(2), 'keep 3'],
    ['that was scaled to one loses it', deployment(1), budget(1), 'delete'],
    ['that is being deleted loses it', deployment(3, { deletionTimestamp: 'now' }), budget(2), 'delete'],
    ['that was deleted loses it', undefined, budget(2), 'delete'],
  ]
  for (const [name, present, guard, wanted] of rows) {
    test(name, () => {
      const step = decideBudget(present, guard)
      assert.equal(step.kind === 'keep' ? `keep ${step.minAvailable}` : step.kind, wanted)
    })
  }
})

test('the PodDisruptionBudget of a component is applied after a change of itself or of the Deployment', async () => {
  const applied: object[] = []
  const reconcile = createComponentBudgetReconciler({
    client: {
      patch: (_: unknown, key: object, patch: object) => Promise.resolve(applied.push({ key, ...patch })),
      delete: assert.fail,
    } as never,
    deployments: { get: () => deployment(2) },
    budgets: { get: () => undefined },
  })
  for (const name of ['virt-api', 'virt-api-pdb', 'virt-operator'])
    await reconcile({ namespace: 'kubevirt', name }, { signal: new AbortController().signal })
  assert.equal(applied.length, 2)
  for (const one of applied) {
    const { key, body, fieldManager } = one as { key: object; body: PodDisruptionBudget; fieldManager: string }
    assert.deepEqual(key, { namespace: 'kubevirt', name: 'virt-api-pdb' })
    assert.deepEqual(body.spec, { minAvailable: 1, selector: { matchLabels: { 'kubevirt.io': 'virt-api' } } })
    assert.deepEqual([body.metadata.ownerReferences?.[0]?.uid, fieldManager], ['d', 'virt-operator/virt-api-pdb'])
  }
})
