import type { ControllerMetricsFactory } from '../controller/controller-metrics.ts'
import { createDurations } from './durations.ts'
import type { Sample } from './exposition.ts'
import type { Metrics } from './metrics.ts'

/** Seconds. KubeVirt's: powers of ten. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10] as const

/**
 * Metrics of controllers, under the names that controller-runtime gave them, and of their queues,
 * under KubeVirt's. Define once per registry.
 */
export function createControllerMetrics(metrics: Metrics): ControllerMetricsFactory {
  const queue = queueMetrics(metrics)
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations per controller and result',
    labels: ['controller', 'result'],
  })
  const errors = metrics.counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciliations that failed',
    labels: ['controller'],
  })
  const terminal = metrics.counter({
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Reconciliations that failed for good',
    labels: ['controller'],
  })
  const time = createDurations(metrics, {
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Time per reconciliation',
    labels: ['controller'],
  })
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciliations under way',
    labels: ['controller'],
  })
  return (controller) => ({
    queue: queue(controller),
    active: (workers) => active({ controller }).set(workers),
    reconciled(outcome, ms) {
      total({ controller, result: outcome === 'terminal_error' ? 'error' : outcome }).add()
      time({ controller }, ms)
      if (outcome === 'error' || outcome === 'terminal_error') errors({ controller }).add()
      if (outcome === 'terminal_error') terminal({ controller }).add()
    },
  })
}

function queueMetrics(metrics: Metrics): (controller: string) => ReturnType<ControllerMetricsFactory>['queue'] {
  const labels = ['name']
  const buckets = queueBuckets
  const agesByName = new Map<string, () => readonly number[]>()
  const ofAges = (reduce: (ages: readonly number[]) => number) => (): Sample[] =>
    [...agesByName].map(([name, ages]) => [{ name }, reduce(ages()) / 1000])
  const adds = metrics.counter({ name: 'kubevirt_workqueue_adds_total', help: 'Total number of adds handled by workqueue', labels })
  const retries = metrics.counter({
    name: 'kubevirt_workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    labels,
  })
  const depth = metrics.gauge({ name: 'kubevirt_workqueue_depth', help: 'Current depth of workqueue', labels })
  const waiting = metrics.histogram({
    name: 'kubevirt_workqueue_queue_duration_seconds',
    help: 'How long an item stays in workqueue before being requested.',
    labels,
    buckets,
  })
  const working = metrics.histogram({
    name: 'kubevirt_workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes.',
    labels,
    buckets,
  })
  metrics.gaugeFrom(
    {
      name: 'kubevirt_workqueue_unfinished_work_seconds',
      help: 'How many seconds of work have been in progress without being observed by work_duration. Large values indicate stuck workers.',
      labels,
    },
    ofAges((ages) => ages.reduce((sum, age) => sum + age, 0)),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_workqueue_longest_running_processor_seconds',
      help: 'How many seconds has the longest running processor for workqueue been running.',
      labels,
    },
    ofAges((ages) => Math.max(0, ...ages)),
  )
  return (name) => {
    const own = { name }
    return {
      added: () => adds(own).add(),
      retried: () => retries(own).add(),
      depth: (items) => depth(own).set(items),
      waited: (ms) => waiting(own).observe(ms / 1000),
      worked: (ms) => working(own).observe(ms / 1000),
      unfinished: (ages) => agesByName.set(name, ages),
    }
  }
}
