import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { RevisionReport } from './types.ts'

/** Defines what a scrape gets to know of revisions. The result takes the newest report. */
export function defineRevisionMetrics(metrics: Pick<Metrics, 'gaugeFrom'>): (report: RevisionReport) => void {
  let last: RevisionReport | undefined
  metrics.gaugeFrom(
    {
      name: 'steadyvm_instancetype_revisions',
      help: 'Copies of instance types and preferences, by the API version that they hold and by how they are',
      labels: ['family', 'version', 'state'],
    },
    () => (last?.counts ?? []).map(({ family, version, state, count }) => [{ family, version, state }, count] as const),
  )
  return (report) => (last = report)
}
