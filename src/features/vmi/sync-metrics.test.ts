import assert from 'node:assert/strict'
import { test } from 'node:test'
import { done } from '#runtime/controller/reconcile.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { countSyncs } from './sync-metrics.ts'

test('countSyncs() counts successes of guests that exist', async () => {
  const metrics = createMetrics()
  const existing = new Set(['n/web', 'n/db'])
  const failing = new Set(['n/bad'])
  const reconciler = countSyncs(
    metrics,
    (namespace, name) => existing.has(`${namespace}/${name}`),
    async ({ namespace, name }) => {
      if (failing.has(`${namespace}/${name}`)) throw new Error('no')
      return done
    },
  )
  const sync = (name: string): Promise<unknown> => reconciler({ namespace: 'n', name }, { signal: new AbortController().signal })
  for (const name of ['web', 'web', 'db']) await sync(name)
  await assert.rejects(sync('bad'))
  existing.delete('n/db')
  await sync('db')
  const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('kubevirt_vmi_sync_total'))
  assert.deepEqual(lines, ['kubevirt_vmi_sync_total{namespace="n",name="web"} 2'])
})
