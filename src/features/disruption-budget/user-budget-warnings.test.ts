import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { PodDisruptionBudgetSpec } from '#api/policy/v1/pod-disruption-budget.ts'
import { guest, launcher } from '#features/eviction/vmi.fixture.ts'
import { warnAboutUserBudget } from './user-budget-warnings.ts'

const owner = 'u1'
const mine = { matchLabels: { app: 'web' } }

async function warnings(strategy: string, spec: PodDisruptionBudgetSpec, isMigratable = true): Promise<readonly string[]> {
  const labels = { app: 'web', 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': owner }
  const found: Readonly<Record<string, readonly object[]>> = {
    Pod: [launcher({ metadata: { labels } })],
    VirtualMachineInstance: [guest(strategy, isMigratable), { ...guest(strategy, isMigratable), metadata: { name: 'other', uid: 'u2' } }],
  }
  const client = { list: ({ kind }: { kind: string }) => Promise.resolve({ metadata: {}, items: found[kind] ?? [] }) }
  const request = { uid: 'r', namespace: 'ns', operation: 'CREATE', object: { metadata: { name: 'own' }, spec } }
  const answer = await warnAboutUserBudget(
    { client: client as never, config: () => ({ evictionStrategy: 'None' }) },
    request as unknown as AdmissionRequest,
  )
  assert.equal(answer.allowed, true)
  return answer.allowed ? (answer.warnings ?? []) : []
}

suite('the creation of a PodDisruptionBudget warns', () => {
  const rows: readonly (readonly [string, string, PodDisruptionBudgetSpec, RegExp | undefined])[] = [
    ['nothing when it covers no guest', 'None', { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 1 }, undefined],
    ['nothing when it leaves guests out', 'LiveMigrate', { selector: leavingOut(), minAvailable: 1 }, undefined],
    ['nothing when it can be computed', 'None', { selector: mine, minAvailable: 1 }, undefined],
    ['that a percentage never allows anything', 'None', { selector: mine, minAvailable: '50%' }, /VMI web may be stopped.*never allows/],
    ['the same of a maximum', 'None', { selector: mine, maxUnavailable: 1 }, /VMI web may be stopped.*spec.minAvailable/],
    ['the same when it selects everything', 'None', { selector: {}, maxUnavailable: 1 }, /VMI web may be stopped/],
    ['that the guest already has one', 'LiveMigrate', { selector: mine, minAvailable: 1 }, /VMI web must not.*budget of its own/],
    ['nothing for an invalid selector', 'None', { selector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }, undefined],
  ]
  for (const [name, strategy, spec, wanted] of rows) {
    test(name, async () => {
      const told = await warnings(strategy, spec)
      if (wanted === undefined) assert.deepEqual(told, [])
      else assert.match(told.join(), wanted)
      assert.ok(told.length <= 1)
    })
  }
})

function leavingOut(): NonNullable<PodDisruptionBudgetSpec['selector']> {
  return { ...mine, matchExpressions: [{ key: 'kubevirt.io', operator: 'NotIn', values: ['virt-launcher'] }] }
}
