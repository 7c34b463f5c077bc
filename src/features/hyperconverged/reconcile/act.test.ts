import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { ComponentWriter } from './act.ts'
import type { Decision, Step } from './decide.ts'
import { components } from '../components/rendering/components.ts'

const [component] = components
assert.ok(component)
const resource = { group: 'kubevirt.io', version: 'v1', kind: 'KubeVirt', plural: 'kubevirts', namespaced: true }
const object = { kind: 'KubeVirt', metadata: { name: 'k', namespace: 'kubevirt' } }
const decisionOf = (step: Step): Decision => ({
  observed: { component, resource, isKnown: true, present: undefined },
  step,
  problems: [],
  overrides: [],
})
const apply = (cause: 'change' | 'drift'): Decision =>
  decisionOf({ kind: 'apply', object, cause, drift: ['spec.a'], rivals: ['rival'], removed: [] })
const { signal } = new AbortController()

/** A writer whose writes are counted, and fail while `isBroken`. */
function writerOf(state: { writes: number; isBroken?: boolean }): {
  writer: ComponentWriter
  clock: ReturnType<typeof createVirtualClock>
} {
  const clock = createVirtualClock(0)
  const patch = (): Promise<never> => {
    state.writes++
    return state.isBroken === true ? Promise.reject(new TypeError('no')) : Promise.resolve(object as never)
  }
  return { writer: new ComponentWriter({ client: { patch, delete: () => Promise.resolve() }, clock, log, random: () => 0 }), clock }
}

test('a rival that reverts every write is answered less and less often, and named', async () => {
  const state = { writes: 0 }
  const { writer, clock } = writerOf(state)
  let told = ''
  for (let second = 0; second < 600; second++) {
    const [outcome] = await writer.act([apply('drift')], signal)
    told = outcome?.error ?? told
    await clock.advance(1_000)
  }
  assert.ok(state.writes > 3 && state.writes < 15, String(state.writes))
  assert.match(told, /rival changes spec\.a again and again/)
  // A change of HyperConverged does not wait.
  const before = state.writes
  await writer.act([apply('change')], signal)
  assert.equal(state.writes, before + 1)
  await clock.advance(700_000)
  await writer.act([apply('drift')], signal)
  await writer.act([apply('drift')], signal)
  assert.equal(state.writes, before + 3)
})

test('a failed write is repeated with a back-off, and another write at once', async () => {
  const state = { writes: 0, isBroken: true }
  const { writer, clock } = writerOf(state)
  for (let pass = 0; pass < 10; pass++) assert.equal((await writer.act([apply('change')], signal))[0]?.error, 'no')
  assert.deepEqual([state.writes, writer.retryAfterMs()], [1, 1_000])
  await clock.advance(1_000)
  await writer.act([apply('change')], signal)
  assert.deepEqual([state.writes, writer.retryAfterMs()], [2, 2_000])
  const other = { ...object, metadata: { ...object.metadata, labels: { a: 'b' } } }
  state.isBroken = false
  await writer.act([decisionOf({ kind: 'apply', object: other, cause: 'change', drift: [], rivals: [], removed: [] })], signal)
  assert.deepEqual([state.writes, writer.retryAfterMs()], [3, undefined])
})
