import { exposition } from './exposition.ts'
import type { Labels } from './series.ts'

/** A metric that is read together with others at each scrape. */
export interface CollectedMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
}

/** The value of one time series of a {@link CollectedMetric}. */
export interface CollectedSample {
  readonly metric: string
  readonly labels: Labels
  readonly value: number
}

/** Returns the text of the metrics that have samples, in Prometheus' format. */
export async function renderSamples(metrics: readonly CollectedMetric[], samples: readonly CollectedSample[]): Promise<string> {
  const byMetric = Map.groupBy(samples, ({ metric }) => metric)
  let text = ''
  for (const metric of metrics) {
    const own = byMetric.get(metric.name) ?? []
    if (own.length === 0) continue
    text += await exposition(
      metric,
      metric.type,
      own.map(({ labels, value }) => [labels, value]),
    )
  }
  return text
}
