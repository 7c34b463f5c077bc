import type { RestClientOptions } from '#client/rest-client.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts a client's requests as client-go does. Give it to the client as `observe`. Define once per
 * registry.
 */
export function createClientMetrics(metrics: Metrics, host: string): NonNullable<RestClientOptions['observe']> {
  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'HTTP requests per status code, method and host',
    labels: ['code', 'method', 'host'],
  })
  return ({ method, code }) => requests({ code: code === undefined ? '<error>' : String(code), method, host }).add()
}
