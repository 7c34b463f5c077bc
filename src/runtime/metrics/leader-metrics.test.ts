import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whileLeading } from './leader-metrics.ts'
import { createMetrics } from './metrics.ts'

test('whileLeading() shows and counts nothing in a replica that waits', async () => {
  const metrics = createMetrics()
  let isLeader = false
  const led = whileLeading(metrics, () => isLeader)
  led.gaugeFrom({ name: 'level', help: 'Level' }, () => [[{}, 3]])
  led.counterFrom({ name: 'stored_total', help: 'Stored' }, () => [[{}, 4]])
  const counter = led.counter({ name: 'things_total', help: 'Things' })
  const sizes = led.histogram({ name: 'size', help: 'Size', buckets: [1] })
  const work = (): void => {
    counter().add()
    sizes().observe(0.5)
  }
  const scrape = async (): Promise<string[]> =>
    (await metrics.metrics()).split('\n').filter((line) => /^(level|stored|things|size_count)/.test(line))
  work()
  assert.deepEqual((await scrape()).toSorted(), ['size_count 0', 'things_total 0'])
  isLeader = true
  work()
  assert.deepEqual((await scrape()).toSorted(), ['level 3', 'size_count 1', 'stored_total 4', 'things_total 1'])
})
