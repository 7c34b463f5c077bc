import type { Metrics } from './metrics.ts'
import type { Labels, MetricDefinition } from './series.ts'

/** Bounds in seconds for the times that control planes deal with. */
const secondsBuckets: readonly number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * Bounds in seconds for phases of guests and migrations. KubeVirt's: from half a second to an hour.
 */
export const phaseBuckets: readonly number[] = [0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 90, 120, 180, 300, 600, 1200, 1800, 3600]

/** Defines a histogram in seconds. The result observes milliseconds. */
export function createDurations(metrics: Metrics, definition: MetricDefinition): (labels: Labels, ms: number) => void {
  const durations = metrics.histogram({ ...definition, buckets: secondsBuckets })
  return (labels, ms) => durations(labels).observe(ms / 1000)
}
