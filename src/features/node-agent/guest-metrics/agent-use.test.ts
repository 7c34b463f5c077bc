import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Guest } from '../guest/guest.ts'
import type { GuestUse } from '../guest-agent/answers.ts'
import { createAgentUseReader } from './agent-use.ts'

const useOf = (oneMinute: number): GuestUse => ({ fileSystems: [], load: { oneMinute, fiveMinutes: 0, fifteenMinutes: 0 } })

test('an agent is asked in the background, once in half a minute, and never twice at once', async () => {
  const guest = { podUid: 'a' } as Guest
  let nowMs = 0
  const questions: ((answer: GuestUse | undefined) => void)[] = []
  const reader = createAgentUseReader({ now: () => nowMs }, () => {
    const { promise, resolve } = Promise.withResolvers<GuestUse | undefined>()
    questions.push(resolve)
    return promise
  })
  assert.equal(reader.latest(guest), undefined)
  nowMs = 60_000
  assert.equal(reader.latest(guest), undefined)
  // It has not answered yet.
  assert.equal(questions.length, 1)
  questions[0]?.(useOf(1))
  await Promise.resolve()
  assert.deepEqual(reader.latest(guest), useOf(1))
  assert.equal(questions.length, 2)
  questions[1]?.(undefined)
  await Promise.resolve()
  nowMs += 29_999
  // It did not answer: what it said before is not true any more.
  assert.equal(reader.latest(guest), undefined)
  assert.equal(questions.length, 2)
  nowMs += 1
  reader.latest(guest)
  assert.equal(questions.length, 3)
})
