import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { RevisionCount } from '../types.ts'

/** Defines the metrics of revisions. Returns a function that updates them. */
export function defineRevisionMetrics(metrics: Pick<Metrics, 'gaugeFrom'>): (counts: readonly RevisionCount[]) => void {
  let last: readonly RevisionCount[] = []
  metrics.gaugeFrom(
    {
      name: 'steadyvm_instancetype_revisions',
      help: 'Copies of instance types and preferences, by the API version that they hold and by how they are',
      labels: ['family', 'version', 'state'],
    },
    () => last.map(({ family, version, state, count }) => [{ family, version, state }, count] as const),
  )
  return (counts) => {
    last = counts
  }
}
