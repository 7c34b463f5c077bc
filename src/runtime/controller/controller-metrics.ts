import type { WorkqueueMetrics } from '../workqueue/workqueue-metrics.ts'

/** Result of a reconcile, as in controller-runtime's `controller_runtime_reconcile_total`. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error' | 'terminal_error'

/** Metrics of a controller. */
export interface ControllerMetrics {
  reconciled(outcome: ReconcileOutcome, ms: number): void
  /** Reconciles running now. */
  active(workers: number): void
  readonly queue: WorkqueueMetrics
}

/** Creates the metrics of one controller. */
export type ControllerMetricsFactory = (controller: string) => ControllerMetrics
