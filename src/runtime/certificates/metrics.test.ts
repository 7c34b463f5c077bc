import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { defineCertificateMetrics } from './metrics.ts'

test('the metrics of certificates count down, and no further than to 0', async () => {
  let now = 0
  const metrics = createMetrics()
  defineCertificateMetrics(metrics, { clock: { now: () => now }, renewals: () => [{ name: 'one', dueAt: 60_000, notAfter: 90_000 }] })
  const seconds = async (): Promise<readonly string[]> => {
    const text = await metrics.metrics()
    return ['renewal', 'expiry'].map(
      (what) => new RegExp(`^steadyvm_certificate_${what}_seconds\\{certificate="one"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? '',
    )
  }
  assert.deepEqual(await seconds(), ['60', '90'])
  now = 70_000
  assert.deepEqual(await seconds(), ['0', '20'])
})
