import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { guest } from '#features/eviction/vmi.fixture.ts'
import { defineEvacuationMetrics } from './metrics.ts'

test('guests that would block a drain are counted apart from those that would not', async () => {
  const metrics = createMetrics()
  const named = (name: string, ...of: Parameters<typeof guest>) => ({ ...guest(...of), metadata: { name, namespace: 'ns', uid: name } })
  const vmis = [
    named('moves', 'LiveMigrate', true),
    named('stays', 'LiveMigrate', false),
    named('stops', undefined, false),
    named('off', 'LiveMigrate', false, { phase: 'Succeeded' }),
  ]
  defineEvacuationMetrics(metrics, { list: () => vmis }, () => ({ evictionStrategy: 'None' }))
  const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('kubevirt_vmi_non_evictable{'))
  const found = lines.map((line) => [/[{,]name="(\w+)"/.exec(line)?.[1], line.split(' ').at(-1)])
  assert.deepEqual(found, [
    ['moves', '0'],
    ['stays', '1'],
    ['stops', '0'],
    ['off', '1'],
  ])
})
