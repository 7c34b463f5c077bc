import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stageOrder, type Stage } from './decide.ts'

suite('orderOf()', () => {
  const [up, down] = [
    ['NodeAgents', 'Controllers', 'API'],
    ['API', 'Controllers', 'NodeAgents'],
  ] as const
  // Majors of the agents, the controllers and the API, and the one that is asked for.
  const rows: readonly (readonly [string, readonly [number, number, number], number, readonly Stage[]])[] = [
    ['a newer version comes from below', [6, 6, 6], 8, up],
    ['an older one comes from above', [8, 8, 8], 6, down],
    ['an upgrade in progress, too', [8, 8, 6], 8, up],
    ['and a way back, half-way', [8, 8, 6], 6, down],
    ['agents that are newer than the target keep the API where it is until they are not', [8, 6, 6], 7, up],
    ['of newer controllers they wait, too', [8, 8, 6], 7, ['Controllers', 'NodeAgents', 'API']],
    ['a newer API is the first', [8, 8, 8], 7, down],
    ['one that has come back already stays the first', [8, 8, 7], 7, down],
  ]
  for (const [what, [agents, controllers, front], to, wanted] of rows) {
    test(what, () => {
      const present = { NodeAgents: `v${agents}.0.0`, Controllers: `v${controllers}.0.0`, API: `v${front}.0.0` }
      assert.deepEqual(stageOrder(present, `v${to}.0.0`), wanted)
    })
  }

  test('ignores missing components', () =>
    assert.deepEqual(stageOrder({ NodeAgents: undefined, Controllers: undefined, API: undefined }, 'v1.0.0'), up))
})
