import type { Metrics } from './metrics.ts'

/** The metrics that a part of the process defines. */
export type DefinableMetrics = Pick<Metrics, 'counter' | 'gaugeFrom' | 'counterFrom' | 'histogram'>

/**
 * Returns metrics that show and count nothing while another replica leads. Each replica has the
 * caches, so that sums over them would count every guest several times.
 */
export function whileLeading(metrics: DefinableMetrics, isLeader: () => boolean): DefinableMetrics {
  return {
    gaugeFrom: (definition, read) => metrics.gaugeFrom(definition, () => (isLeader() ? read() : [])),
    counterFrom: (definition, read) => metrics.counterFrom(definition, () => (isLeader() ? read() : [])),
    counter(definition) {
      const counter = metrics.counter(definition)
      return (labels) => ({
        add(amount) {
          if (isLeader()) counter(labels).add(amount)
        },
      })
    },
    histogram(definition) {
      const histogram = metrics.histogram(definition)
      return (labels) => ({
        observe(value) {
          if (isLeader()) histogram(labels).observe(value)
        },
      })
    },
  }
}
