import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defaultForm as own } from '../instancetype.fixture.ts'
import { updateHistory, type HistoryChange } from './capture-status.ts'

const shared = { ...own, sharing: 'shared' as const }
const [a, b, c, mine] = ['shared-a-v1beta1-0', 'shared-b-v1beta1-0', 'shared-c-v1beta1-0', 'web-small-v1beta1-u-1']

const rows: readonly (HistoryChange & { reason: string; format?: typeof own; limit?: number; want: readonly string[] })[] = [
  { reason: 'the first', now: a, want: [] },
  { reason: 'the same', before: a, now: a, want: [] },
  { reason: 'another', before: a, now: b, want: [b, a] },
  { reason: 'a third', history: [b, a], before: b, now: c, want: [c, b, a] },
  { reason: 'a rollback: the order is kept', history: [c, b, a], before: c, now: b, want: [c, b, a] },
  { reason: 'more than the limit', history: [b, a], before: b, now: c, limit: 1, want: [c, b] },
  {
    reason: 'a rollback, more than the limit: the revision in force is kept',
    history: [c, b, a],
    before: b,
    now: a,
    limit: 1,
    want: [c, a],
  },
  { reason: 'a limit of 0', before: a, now: b, limit: 0, want: [] },
  { reason: 'no reference any more', history: [b, a], before: b, want: [b, a] },
  { reason: 'no reference any more, which was the only one', before: a, want: [a] },
  { reason: 'own revisions before, with sharing', before: mine, now: a, want: [a, mine] },
  { reason: 'own revisions only', format: own, before: 'web-small-v1beta1-u-0', now: mine, want: [] },
  { reason: 'sharing was disabled', format: own, before: a, now: mine, want: [mine, a] },
  { reason: 'sharing was disabled, and the last shared revision was replaced', format: own, history: [mine, 'web-a'], now: mine, want: [] },
]

suite('updateHistory()', () => {
  for (const { reason, format = shared, limit = 10, want, ...taken } of rows)
    test(`keeps ${want.length}: ${reason}`, () => assert.deepEqual(updateHistory(taken, { format, historyLimit: limit }), want))
})
