import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Occurrence } from './occurrence.ts'
import { renderHistory, renderLine } from './render.ts'

const one: Occurrence = {
  time: '2026-05-01T10:02:00.123456Z',
  firstTime: '2026-05-01T10:00:00Z',
  type: 'Warning',
  reason: 'FailedStart',
  message: 'Cannot start the guest',
  object: { kind: 'VirtualMachineInstance', namespace: 'shop', name: 'web' },
  count: 5,
  source: 'virt-handler',
}

test("what has occurred is in kubectl's columns, with ages", () => {
  const nowMs = Date.parse('2026-05-01T10:02:03.123456Z')
  const [head, line] = renderHistory([one], { isWide: false, withNamespace: true }, nowMs)
    .split('\n')
    .map((row) => row.split(/ {3,}/))
  assert.deepEqual(head, ['NAMESPACE', 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'])
  assert.deepEqual(line, ['shop', '3s (x5 over 2m)', 'Warning', 'FailedStart', 'VirtualMachineInstance/web', 'Cannot start the guest'])
})

test('what occurs now is a line with its time', () => {
  const line = renderLine({ ...one, source: '' }, { isWide: true, withNamespace: false })
  assert.deepEqual(line.trimEnd().split(/ {2,}/), [
    '2026-05-01T10:02:00Z',
    'Warning',
    'FailedStart',
    'VirtualMachineInstance/web',
    '5',
    '<none>',
    'Cannot start the guest',
  ])
})
