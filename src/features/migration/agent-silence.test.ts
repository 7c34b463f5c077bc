import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { msUntilSilent } from './agent-silence.ts'

const nowMs = Date.parse('2026-01-01T00:10:00Z')
const nodeWith = (schedulable: string, until?: string): Node =>
  ({
    metadata: {
      name: 'n',
      labels: { 'kubevirt.io/schedulable': schedulable },
      ...(until === undefined ? {} : { annotations: { 'steadyvm.io/agent-restart-until': until } }),
    },
  }) as Node

const rows: readonly (readonly [string, Node | undefined, number])[] = [
  ['an agent that is there', nodeWith('true'), Infinity],
  ['an agent that is back before the announced time', nodeWith('true', '2026-01-01T00:20:00Z'), Infinity],
  ['an agent that has ended', nodeWith('false'), 0],
  ['an agent that is being replaced', nodeWith('false', '2026-01-01T00:20:00Z'), 600_000],
  ['an agent that was to be back by now', nodeWith('false', '2026-01-01T00:05:00Z'), 0],
  ['the agent of a deleted node', undefined, 0],
]
for (const [name, node, ms] of rows) test(`msUntilSilent(): ${name}`, () => assert.equal(msUntilSilent(node, nowMs), ms))
