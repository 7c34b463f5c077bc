import type { RestClientOptions } from '#client/rest-client.ts'
import type { Metrics } from './metrics.ts'
import { requestTarget } from './request-target.ts'

/** Seconds. Those of KubeVirt, which come from the API server's own metric. */
const latencyBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60] as const

/**
 * Counts and measures a client's requests under KubeVirt's names. Give it to the client as
 * `observe`. Define once per registry.
 */
export function createClientMetrics(
  metrics: Pick<Metrics, 'counter' | 'histogram'>,
  server: string,
): NonNullable<RestClientOptions['observe']> {
  const requests = metrics.counter({
    name: 'kubevirt_rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host', 'resource', 'verb'],
  })
  const latency = metrics.histogram({
    name: 'kubevirt_rest_client_request_latency_seconds',
    help: 'Request latency in seconds. Broken down by verb and URL.',
    labels: ['verb', 'url'],
    buckets: latencyBuckets,
  })
  const host = URL.parse(server)?.host ?? server
  const base = server.replace(/\/$/, '')
  return ({ method, path, code, ms }) => {
    const { verb, resource, template } = requestTarget(method, path)
    requests({ code: code === undefined ? '<error>' : String(code), method, host, resource, verb }).add()
    // As in client-go: how long the start of a watch takes says little about the server.
    if (verb !== 'WATCH') latency({ verb, url: encodeURI(base + template) }).observe(ms / 1000)
  }
}
