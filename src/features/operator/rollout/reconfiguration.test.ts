import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Stage } from './decide.ts'
import { reconfiguredStages, type ReconfigurationObservation } from './reconfiguration.ts'

suite('reconfiguredStages()', () => {
  const inPlace = { isReplacing: false, isRolled: true }
  const settled: ReconfigurationObservation = {
    daemonSet: { metadata: { generation: 2 }, status: { observedGeneration: 2 } } as ReconfigurationObservation['daemonSet'],
    agentsWanted: true,
    agents: { state: 'done', outdated: 0 },
    controllers: inPlace,
    api: inPlace,
    wasReported: false,
  }
  const killed = { agents: { state: 'canary', outdated: 0 }, controllers: { ...inPlace, isRolled: false } } as const
  const rows: readonly (readonly [string, Partial<ReconfigurationObservation>, readonly Stage[]])[] = [
    ['nothing has changed', {}, []],
    ['pods have just been killed', killed, []],
    ['the agents are not applied yet', { agentsWanted: false }, ['NodeAgents']],
    [
      'the agents are applied, and their controller has not seen it',
      { daemonSet: { ...settled.daemonSet, status: {} } as never },
      ['NodeAgents'],
    ],
    ['an agent of the former configuration runs or ends', { agents: { state: 'canary', outdated: 1 } }, ['NodeAgents']],
    ['the new pods are not ready yet', { ...killed, wasReported: true }, ['NodeAgents', 'Controllers']],
    ['all pods are ready', { wasReported: true }, []],
    ['an API server of the former configuration runs', { api: { isReplacing: true, isRolled: false } }, ['API']],
  ]
  for (const [when, more, expected] of rows) {
    test(`returns ${expected.length === 0 ? 'nothing' : expected.join()} when ${when}`, () => {
      assert.deepEqual(reconfiguredStages({ ...settled, ...more }), expected)
    })
  }
})
