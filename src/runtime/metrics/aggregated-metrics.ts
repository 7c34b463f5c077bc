import type { AggregatedApiOptions } from '../aggregated/aggregated-api.ts'
import { secondsBuckets } from './metrics.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts the requests of an aggregated API. Give it to the API as `observe`. Define once per
 * registry.
 */
export function createAggregatedMetrics(metrics: Metrics): NonNullable<AggregatedApiOptions['observe']> {
  const requests = metrics.counter({
    name: 'steadyvm_aggregated_requests_total',
    help: 'Requests for subresources per verb, resource, subresource and status code',
    labels: ['verb', 'resource', 'subresource', 'code'],
  })
  const latency = metrics.histogram({
    name: 'steadyvm_aggregated_request_duration_seconds',
    help: 'Time per request for a subresource',
    labels: ['verb', 'resource', 'subresource'],
    buckets: secondsBuckets,
  })
  return ({ verb, resource, subresource, code, ms }) => {
    requests({ verb, resource, subresource, code: String(code) }).add()
    latency({ verb, resource, subresource }).observe(ms / 1000)
  }
}
