import type { ApiServerOptions } from '#apiserver/api-server.ts'
import type { EmbeddedApi } from '#apiserver/embedded-api.ts'
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
  const dispatched = metrics.counter({
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    help: 'Answered requests by FlowSchema and priority level',
    labels: ['flow_schema', 'priority_level'],
  })
  return {
    metrics,
    observe({ verb, group, resource, subresource, code, durationMs, flow }) {
      if (flow !== undefined) dispatched({ flow_schema: flow.schema, priority_level: flow.level }).add()
      requests({ verb, group, resource, subresource, code: String(code) }).add()
      if (verb !== 'watch') duration({ verb, resource }, durationMs)
    },
  }
}

/** Requests that run at the same time in kube-apiserver by default: 400 reading, 200 writing. */
const concurrentRequests = 600

/** Reports the part of the concurrent requests that each priority level has by its share. */
export function reportSeats(metrics: Metrics, flows: EmbeddedApi['flows']): void {
  const name = 'apiserver_flowcontrol_nominal_limit_seats'
  const help = 'Part of the concurrent requests that a priority level has by its share; requests are not queued by it'
  metrics.gaugeFrom({ name, help, labels: ['priority_level'] }, () =>
    flows.seats(concurrentRequests).map(({ level, seats }) => [{ priority_level: level }, seats] as const),
  )
}
