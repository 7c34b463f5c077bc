import type { AggregatedApiOptions } from '../aggregated/aggregated-api.ts'
import { createAnswerMetrics } from './answers.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts the requests of an aggregated API. Give it to the API as `observe`. Define once per
 * registry.
 */
export function createAggregatedMetrics(metrics: Metrics): NonNullable<AggregatedApiOptions['observe']> {
  const answered = createAnswerMetrics(metrics, {
    total: {
      name: 'steadyvm_aggregated_requests_total',
      help: 'Requests for subresources per verb, resource, subresource and status code',
    },
    duration: { name: 'steadyvm_aggregated_request_duration_seconds', help: 'Time per request for a subresource' },
    labels: ['verb', 'resource', 'subresource'],
  })
  return ({ verb, resource, subresource, ...answer }) => answered({ verb, resource, subresource }, answer)
}
