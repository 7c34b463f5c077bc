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
    ['a newer version starts with the agents', [6, 6, 6], 8, up],
    ['an older version starts with the API', [8, 8, 8], 6, down],
    ['an upgrade in progress, too', [8, 8, 6], 8, up],
    ['a rollback during an upgrade', [8, 8, 6], 6, down],
    ['newer agents than the target delay the API', [8, 6, 6], 7, up],
    ['newer controllers delay it, too', [8, 8, 6], 7, ['Controllers', 'NodeAgents', 'API']],
    ['a newer API is replaced first', [8, 8, 8], 7, down],
    ['an already replaced API stays the first', [8, 8, 7], 7, down],
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
