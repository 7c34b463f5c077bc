import type { ControllerMetricsFactory } from '../controller/controller-metrics.ts'
import { createDurations } from './durations.ts'
import type { Metrics } from './metrics.ts'

/**
 * Metrics of controllers and their queues, under the names that controller-runtime gave them.
 * Define once per registry.
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
  const labels = ['name', 'controller']
  const adds = metrics.counter({ name: 'workqueue_adds_total', help: 'Items added to the queue', labels })
  const retries = metrics.counter({ name: 'workqueue_retries_total', help: 'Items added after a failure', labels })
  const depth = metrics.gauge({ name: 'workqueue_depth', help: 'Items that wait for a worker', labels })
  const waiting = createDurations(metrics, {
    name: 'workqueue_queue_duration_seconds',
    help: 'Time between being ready and being taken',
    labels,
  })
  const working = createDurations(metrics, {
    name: 'workqueue_work_duration_seconds',
    help: 'Time between being taken and being done',
    labels,
  })
  return (controller) => {
    const own = { name: controller, controller }
    return {
      added: () => adds(own).add(),
      retried: () => retries(own).add(),
      depth: (items) => depth(own).set(items),
      waited: (ms) => waiting(own, ms),
      worked: (ms) => working(own, ms),
    }
  }
}
