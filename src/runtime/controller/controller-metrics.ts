import type { WorkqueueMetrics } from '../workqueue/workqueue-metrics.ts'

/**
 * How a reconcile ended: as controller-runtime names it in `controller_runtime_reconcile_total`.
 */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error' | 'terminal_error'

/** What a controller reports. */
export interface ControllerMetrics {
  reconciled(outcome: ReconcileOutcome, ms: number): void
  /** Reconciles running now. */
  active(workers: number): void
  readonly queue: WorkqueueMetrics
}

/** Makes the metrics of one controller. */
export type ControllerMetricsFactory = (controller: string) => ControllerMetrics
