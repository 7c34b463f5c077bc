import assert from 'node:assert/strict'
import test from 'node:test'
import { createAggregatedMetrics } from './aggregated-metrics.ts'
import { createControllerMetrics } from './controller-metrics.ts'
import { createClientMetrics } from './client-metrics.ts'
import { createMetrics } from './metrics.ts'
import { createWebhookMetrics } from './webhook-metrics.ts'

test('metrics() shows what was counted before and after the first scrape', async () => {
  const metrics = createMetrics()
  const counter = metrics.counter({ name: 'things_total', help: 'Things', labels: ['kind'] })
  const gauge = metrics.gauge({ name: 'level', help: 'Level' })
  const histogram = metrics.histogram({ name: 'size', help: 'Size', buckets: [1, 10] })
  counter({ kind: 'a' }).add()
  counter({ kind: 'a' }).add(2)
  gauge().set(5)
  for (const size of [0.5, 1, 3, 100]) histogram().observe(size)
  await metrics.metrics()
  counter({ kind: 'b "quoted"' }).add()
  histogram().observe(7)
  gauge().set(-1)
  const text = await metrics.metrics()
  for (const line of [
    'things_total{kind="a"} 3',
    'things_total{kind="b \\"quoted\\""} 1',
    'level -1',
    'size_bucket{le="1"} 2',
    'size_bucket{le="10"} 4',
    'size_bucket{le="+Inf"} 5',
    'size_sum 111.5',
    'size_count 5',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} in ${text}`)
  }
  assert.match(metrics.contentType, /^text\/plain; version=0\.0\.4/)
})

test('gaugeFrom() reads at each scrape, and drops vanished time series', async () => {
  const metrics = createMetrics()
  let sizes = [[{ queue: 'a' }, 1] as const, [{ queue: 'b' }, 2] as const]
  metrics.gaugeFrom({ name: 'sizes', help: 'Sizes', labels: ['queue'] }, () => sizes)
  assert.match(await metrics.metrics(), /sizes\{queue="b"\} 2/)
  sizes = sizes.slice(0, 1)
  assert.doesNotMatch(await metrics.metrics(), /queue="b"/)
})

test('collect() waits for what it reads, whose labels may differ', async () => {
  const metrics = createMetrics()
  metrics.gauge({ name: 'level', help: 'Level' })().set(1)
  let round = 0
  metrics.collect(
    [
      { name: 'read_total', help: 'Reads', type: 'counter' },
      { name: 'size', help: 'Size', type: 'gauge' },
      { name: 'unread', help: 'Nothing', type: 'gauge' },
    ],
    async () => {
      round++
      return [
        { metric: 'read_total', labels: { name: 'a' }, value: round },
        { metric: 'read_total', labels: { name: 'a' }, value: round * 10 },
        { metric: 'read_total', labels: { name: 'b', zone: 'x' }, value: 7 },
        ...(round === 1 ? [{ metric: 'size', labels: {}, value: 3 }] : []),
      ]
    },
  )
  const first = await metrics.metrics()
  for (const line of [
    'level 1',
    '# TYPE read_total counter',
    'read_total{name="a"} 10',
    'read_total{name="b",zone="x"} 7',
    '# TYPE size gauge',
    'size 3',
  ])
    assert.ok(first.split('\n').includes(line), `${line} in ${first}`)
  assert.doesNotMatch(first, /unread/)
  const second = await metrics.metrics()
  assert.match(second, /read_total\{name="a"\} 20/)
  assert.doesNotMatch(second, /size/)
  assert.throws(() => metrics.gauge({ name: 'size', help: 'Size' }), RangeError)
})

test('what is read at a scrape may have labels of its own, and is escaped', async () => {
  const metrics = createMetrics()
  metrics.counterFrom({ name: 'seen_total', help: 'Seen\nby "all" \\', labels: ['name', 'zone'] }, () => [
    [{ zone: 'a"b\\\n', name: 'x' }, 1],
    [{ name: 'x', zone: 'a"b\\\n' }, 2],
    [{ name: 'y', label_app: 'web' }, Number.NaN],
    [{}, Number.POSITIVE_INFINITY],
  ])
  const text = await metrics.metrics()
  const expected = [
    '# HELP seen_total Seen\\nby "all" \\\\',
    '# TYPE seen_total counter',
    'seen_total{name="x",zone="a\\"b\\\\\\n"} 2',
    'seen_total{name="y",zone="",label_app="web"} NaN',
    'seen_total{name="",zone=""} +Inf',
  ]
  assert.deepEqual(
    text.split('\n').filter((line) => line.includes('seen_total')),
    expected,
  )
})

test('a metric is defined once, also after the first scrape', async () => {
  const metrics = createMetrics()
  metrics.counter({ name: 'a_total', help: 'A' })
  await metrics.metrics()
  assert.throws(() => metrics.gauge({ name: 'a_total', help: 'A' }), RangeError)
  metrics.counter({ name: 'b_total', help: 'B' })().add(3)
  assert.match(await metrics.metrics(), /b_total 3/)
})

test('two scrapes at once count nothing twice', async () => {
  const metrics = createMetrics()
  metrics.counter({ name: 'a_total', help: 'A' })().add()
  const texts = await Promise.all([metrics.metrics(), metrics.metrics()])
  for (const text of texts) assert.match(text, /a_total 1/)
})

test('createControllerMetrics() and createClientMetrics() use the names of controller-runtime and KubeVirt', async () => {
  const metrics = createMetrics()
  const controller = createControllerMetrics(metrics)('vm')
  controller.queue.added()
  controller.queue.depth(3)
  controller.queue.waited(20)
  controller.queue.worked(20)
  controller.queue.retried()
  controller.queue.unfinished(() => [500, 1_500])
  controller.active(1)
  controller.reconciled('terminal_error', 30)
  const exchanged = createClientMetrics(metrics, 'https://host:1')
  exchanged({ method: 'GET', path: '/api/v1/namespaces/n/pods/web', code: 200, ms: 20 })
  exchanged({ method: 'GET', path: '/api/v1/pods?watch=true', code: undefined, ms: 20 })
  const text = await metrics.metrics()
  for (const line of [
    'kubevirt_workqueue_adds_total{name="vm"} 1',
    'kubevirt_workqueue_depth{name="vm"} 3',
    'kubevirt_workqueue_retries_total{name="vm"} 1',
    'kubevirt_workqueue_queue_duration_seconds_bucket{le="0.1",name="vm"} 1',
    'kubevirt_workqueue_unfinished_work_seconds{name="vm"} 2',
    'kubevirt_workqueue_longest_running_processor_seconds{name="vm"} 1.5',
    'controller_runtime_reconcile_total{controller="vm",result="error"} 1',
    'controller_runtime_terminal_reconcile_errors_total{controller="vm"} 1',
    'controller_runtime_active_workers{controller="vm"} 1',
    'kubevirt_rest_client_requests_total{code="200",method="GET",host="host:1",resource="pods",verb="GET"} 1',
    'kubevirt_rest_client_requests_total{code="<error>",method="GET",host="host:1",resource="pods",verb="WATCH"} 1',
    'kubevirt_rest_client_request_latency_seconds_count{verb="GET",url="https://host:1/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D"} 1',
  ]) {
    assert.ok(text.includes(line), line)
  }
})

test('createWebhookMetrics() and createAggregatedMetrics() count by status code, and measure in seconds', async () => {
  const metrics = createMetrics()
  const review = createWebhookMetrics(metrics)
  review({ path: '/validate', code: 200, ms: 20 })
  review({ path: '/chosen-by-a-client', code: 404, ms: 1 })
  createAggregatedMetrics(metrics)({ verb: 'update', resource: 'virtualmachines', subresource: 'start', code: 202, ms: 3_000 })
  const text = await metrics.metrics()
  for (const line of [
    'controller_runtime_webhook_requests_total{webhook="/validate",code="200"} 1',
    'controller_runtime_webhook_requests_total{webhook="<unknown>",code="404"} 1',
    'controller_runtime_webhook_latency_seconds_sum{webhook="/validate"} 0.02',
    'steadyvm_aggregated_requests_total{verb="update",resource="virtualmachines",subresource="start",code="202"} 1',
    'steadyvm_aggregated_request_duration_seconds_sum{verb="update",resource="virtualmachines",subresource="start"} 3',
  ]) {
    assert.ok(text.includes(line), line)
  }
})
