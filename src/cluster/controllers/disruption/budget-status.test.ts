import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '#api/policy/v1/pod-disruption-budget.ts'
import { decideBudget, needsScale } from './budget-status.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const budget = (spec: PodDisruptionBudgetSpec, status?: Partial<PodDisruptionBudgetStatus>): PodDisruptionBudget => ({
  metadata: { namespace: 'default', name: 'b', generation: 3 },
  spec: { selector: {}, ...spec },
  ...(status === undefined ? {} : { status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status } }),
})
const pod = (name: string, ready = true, deletionTimestamp?: string): Pod => ({
  metadata: { namespace: 'default', name, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})
const three = [pod('a'), pod('b'), pod('c')]

suite('budgetVerdict()', () => {
  const cases: {
    name: string
    spec: PodDisruptionBudgetSpec
    pods?: Pod[]
    expected?: number
    disrupted?: Record<string, string>
    /** allowed, healthy, desired, expected */
    counts: [number, number, number, number]
    pending?: Record<string, string>
  }[] = [
    { name: 'a number that must stay', spec: { minAvailable: 2 }, pods: three, counts: [1, 3, 2, 3] },
    {
      name: 'a minAvailable above the number of pods',
      spec: { minAvailable: 2 },
      pods: [pod('a'), pod('b', false)],
      counts: [0, 1, 2, 2],
    },
    { name: 'a share that must stay, rounded up', spec: { minAvailable: '50%' }, pods: three, expected: 3, counts: [1, 3, 2, 3] },
    { name: 'a number that may be missing', spec: { maxUnavailable: 1 }, pods: three, expected: 4, counts: [0, 3, 3, 4] },
    { name: 'a share that may be missing, rounded up', spec: { maxUnavailable: '30%' }, pods: three, expected: 3, counts: [1, 3, 2, 3] },
    { name: 'more that may be missing than there are', spec: { maxUnavailable: 9 }, pods: three, expected: 3, counts: [3, 3, 0, 3] },
    { name: 'no pods', spec: { minAvailable: 0 }, pods: [], counts: [0, 0, 0, 0] },
    {
      name: 'pods that are being deleted do not count',
      spec: { minAvailable: 1 },
      pods: [pod('a'), pod('b', true, 'now')],
      counts: [0, 1, 1, 2],
    },
    {
      name: 'evicted pods do not count until their deletion is observed',
      spec: { minAvailable: 1 },
      pods: three,
      disrupted: { a: '2026-11-21T09:59:00Z', gone: '2026-11-21T09:59:00Z' },
      counts: [1, 2, 1, 3],
      pending: { a: '2026-11-21T09:59:00Z' },
    },
    {
      name: 'an eviction that came to nothing is forgotten after two minutes',
      spec: { minAvailable: 1 },
      pods: three,
      disrupted: { a: '2026-11-21T09:58:00Z' },
      counts: [2, 3, 1, 3],
    },
  ]
  for (const { name, spec, pods = [], expected, disrupted, counts, pending } of cases) {
    test(name, () => {
      const subject = budget(spec, disrupted === undefined ? undefined : { disruptedPods: disrupted })
      const { status } = decideBudget(subject, { pods, expected, now })
      const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status
      assert.deepEqual([disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods], counts)
      assert.deepEqual(status.disruptedPods, pending)
      assert.equal(status.observedGeneration, 3)
      const condition = status.conditions?.[0]
      assert.deepEqual(
        [condition?.status, condition?.reason],
        disruptionsAllowed > 0 ? ['True', 'SufficientPods'] : ['False', 'InsufficientPods'],
      )
    })
  }

  test('checks again when an eviction is overdue, and names the pod that was not deleted', () => {
    const subject = budget({ minAvailable: 1 }, { disruptedPods: { a: '2026-11-21T09:59:00Z', b: '2026-11-21T09:00:00Z' } })
    const { recheckAt, undead } = decideBudget(subject, { pods: three, expected: undefined, now })
    assert.equal(recheckAt, now + 60_000)
    assert.deepEqual(
      undead.map(({ metadata }) => metadata.name),
      ['b'],
    )
  })

  test('allows no disruption while the expected number of pods is unknown', () => {
    const error = new RangeError('virtualmachineinstances.kubevirt.io does not implement the scale subresource')
    const { status } = decideBudget(budget({ maxUnavailable: 1 }, { disruptionsAllowed: 2 }), { pods: three, expected: error, now })
    assert.equal(status.disruptionsAllowed, 0)
    const [condition] = status.conditions ?? []
    assert.deepEqual([condition?.reason, condition?.message], ['SyncFailed', error.message])
  })
})

test('needsScale() returns false only for an absolute minAvailable', () => {
  assert.deepEqual(
    [{ minAvailable: 1 }, { minAvailable: '10%' }, { maxUnavailable: 0 }, {}].map((spec) => needsScale(budget(spec))),
    [false, true, true, false],
  )
})
