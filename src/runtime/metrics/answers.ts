import { createDurations } from './durations.ts'
import type { Metrics } from './metrics.ts'
import type { Labels, MetricDefinition } from './series.ts'

type Named = Pick<MetricDefinition, 'name' | 'help'>

/** Definition of the two metrics of a server. */
export interface AnswerMetricsDefinition {
  /** Counter of the answers, which has the label `code` after the others. */
  readonly total: Named
  /** Histogram of the times from request to answer, in seconds. */
  readonly duration: Named
  /** Names of the labels of both metrics. */
  readonly labels: readonly string[]
}

/** Status code of an answer, and how long it took. */
export interface Answer {
  readonly code: number
  readonly ms: number
}

/** Counts the answers of a server by status code, and measures how long they took. */
export function createAnswerMetrics(
  metrics: Metrics,
  { total, duration, labels: names }: AnswerMetricsDefinition,
): (labels: Labels, answer: Answer) => void {
  const answers = metrics.counter({ ...total, labels: [...names, 'code'] })
  const durations = createDurations(metrics, { ...duration, labels: names })
  return (labels, { code, ms }) => {
    answers({ ...labels, code: String(code) }).add()
    durations(labels, ms)
  }
}
