import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform } from '../../reconcile/platform.fixture.ts'
import { operatorConditionOf, operatorConditions, type Situation } from './operator-condition.ts'

const { namespace } = hyperConvergedKey

test('the condition for OLM in each situation', () => {
  const reported = (status: Condition['status'], reason: string, message: string): Situation => ({
    conditions: [{ type: 'Upgradeable', status, reason, message, observedGeneration: 7 }],
  })
  const rows: readonly (readonly [string, Situation, string])[] = [
    ['the start', 'Initializing', 'False Initializing'],
    ['no HyperConverged', 'Absent', 'True Upgradeable'],
    ['the removal', 'Removing', 'False Removing'],
    ['all are ready', reported('True', 'AllComponentsReady', ''), 'True Upgradeable'],
    ['an upgrade', reported('False', 'AlreadyPerformingUpgrade', 'a'), 'False AlreadyPerformingUpgrade'],
    ['a component is degraded or forbids it', reported('False', 'ComponentsNotReady', 'cdi: full'), 'False ComponentsNotReady'],
    ['an unknown state', reported('Unknown', 'Init', 'a'), 'False Init'],
    ['no condition yet', {}, 'False Unknown'],
  ]
  for (const [name, situation, wanted] of rows) {
    const { type, status, reason = '', message = '', ...others } = operatorConditionOf(situation)
    assert.equal(`${status} ${reason}`, wanted, name)
    assert.equal(type, 'Upgradeable')
    // OLM ignores a condition of another generation than that of its own object.
    assert.deepEqual(others, {}, name)
    // The pattern is that of the CRD.
    assert.match(reason, /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    assert.ok(message.length <= 32_768)
  }
})

suite('the report to OLM', () => {
  test('follows the platform from the start to the removal, and leaves other conditions alone', async () => {
    await using platform = await startPlatform()
    const { client } = platform
    const { group, plural, kind } = operatorConditions
    await client.create(customResourceDefinitions, {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural },
        versions: [
          {
            name: 'v2',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    } as never)
    await platform.until(() =>
      client.list(operatorConditions).then(
        () => true,
        () => false,
      ),
    )
    const key = { namespace, name: 'steadyvm.v1.2.3' }
    const others = { type: 'Other', status: 'True', reason: 'Because', message: '' } as const
    await client.create(operatorConditions, { metadata: key, spec: { conditions: [others] } })
    const seen: string[] = []
    const upgradeable = async (): Promise<string> => {
      const { spec } = await client.get(operatorConditions, key)
      assert.deepEqual(spec?.conditions?.[0], others)
      const { status, reason } = spec?.conditions?.find(({ type }) => type === 'Upgradeable') ?? {}
      return `${status} ${reason}`
    }
    platform.start(
      (inner) => ({
        ...inner,
        patch: async (resource, where, patch, options) => {
          const answer = await inner.patch(resource, where, patch, options)
          if (resource.kind === kind) seen.push(await upgradeable())
          return answer
        },
      }),
      { environment: { OPERATOR_CONDITION_NAME: key.name } },
    )
    await platform.until(async () => (await upgradeable()) === 'False ComponentsNotReady')
    const { items } = await client.list(kubeVirts)
    await platform.report(kubeVirts, items[0]?.metadata.name ?? '', { Available: 'True', Progressing: 'False', Degraded: 'False' })
    await platform.until(async () => (await upgradeable()) === 'True Upgradeable')
    assert.equal(seen[0], 'False Initializing')
    await platform.settled()
    const { length } = platform.writes
    await platform.edit({ virtualization: { evictionStrategy: 'None' } })
    await platform.until(async (hco) => hco.metadata.generation === hco.status?.observedGeneration)
    await platform.settled()
    assert.deepEqual(
      platform.writes.slice(length).filter((write) => write.includes(plural)),
      [],
      'an unchanged condition is not written again',
    )
    platform.endDeletions([kubeVirts])
    await client.delete(hyperConvergeds, hyperConvergedKey)
    await platform.gone()
    assert.ok(seen.includes('False Removing'), seen.join())
  })
})
