import type { ApiServerOptions } from '#apiserver/api-server.ts'
import { createDurations } from '#runtime/metrics/durations.ts'
import { createMetrics, type Metrics } from '#runtime/metrics/metrics.ts'

/** Counts the API server's responses under kube-apiserver's metric names. */
export function createRequestMetrics(): { readonly metrics: Metrics; readonly observe: NonNullable<ApiServerOptions['observe']> } {
  const metrics = createMetrics({ process: true })
  const labels = ['verb', 'group', 'resource', 'subresource', 'code']
  const requests = metrics.counter({ name: 'apiserver_request_total', help: 'Answered requests', labels })
  const duration = createDurations(metrics, {
    name: 'apiserver_request_duration_seconds',
    help: 'Time from a request to its answer; watches are not counted',
    labels: ['verb', 'resource'],
  })
  return {
    metrics,
    observe({ verb, group, resource, subresource, code, durationMs }) {
      requests({ verb, group, resource, subresource, code: String(code) }).add()
      if (verb !== 'watch') duration({ verb, resource }, durationMs)
    },
  }
}
