import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Client } from '#client/client.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { done } from '#runtime/controller/reconcile.ts'
import { createForeignCdi, isForeignDefinition, unlessForeign, unlessForeignMetrics } from './foreign-cdi.ts'

const context = { signal: new AbortController().signal }

suite('isForeignDefinition()', () => {
  for (const [what, labels, expected] of [
    ['ours', { 'kubevirt.io': '' }, false],
    ["CDI's", { 'cdi.kubevirt.io': '' }, true],
    ["that of CDI's manifest", { 'operator.cdi.kubevirt.io': '' }, true],
    ['ours that CDI has taken over', { 'kubevirt.io': '', 'cdi.kubevirt.io': '' }, true],
    ['one without labels', {}, true],
  ] as const)
    test(what, () => assert.equal(isForeignDefinition({ metadata: { labels } }), expected))
})

test('A reconciler stands down as long as CDI is there, and asks once a minute', async () => {
  let [now, asked, isThere, acted] = [0, 0, true, 0]
  const get = async (): Promise<object> => {
    asked++
    return { metadata: { labels: isThere ? { 'cdi.kubevirt.io': '' } : { 'kubevirt.io': '' } } }
  }
  const foreign = createForeignCdi({ client: { get: get as Client['get'] }, clock: { now: () => now } })
  const reconcile = unlessForeign(foreign, async () => {
    acted++
    return done
  })
  const request = { namespace: 'a', name: 'b' }
  await reconcile(request, context)
  assert.ok((await reconcile(request, context)).requeueAfterMs !== undefined)
  assert.deepEqual([asked, acted], [1, 0])
  isThere = false
  now = 61_000
  await reconcile(request, context)
  assert.deepEqual([asked, acted], [2, 1])
})

test('Metrics have no series where CDI reports them', async () => {
  for (const isForeign of [true, false]) {
    const metrics = createMetrics()
    const guarded = unlessForeignMetrics(async () => isForeign, metrics)
    guarded.gaugeFrom({ name: 'level', help: 'Level' }, () => [[{}, 7]])
    guarded.counterFrom({ name: 'things_total', help: 'Things' }, () => [[{}, 8]])
    assert.doesNotMatch(await metrics.metrics(), /^level/m, 'it is not known yet')
    const text = await metrics.metrics()
    assert.equal(/^level 7$/m.test(text), !isForeign)
    assert.equal(/^things_total 8$/m.test(text), !isForeign)
  }
})
