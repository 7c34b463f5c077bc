import type { AdmissionServerOptions } from '../webhook/admission-server.ts'
import { secondsBuckets } from './metrics.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts the reviews of an admission server. Give it to the server as `observe`. Define once per
 * registry.
 */
export function createWebhookMetrics(metrics: Metrics): NonNullable<AdmissionServerOptions['observe']> {
  const requests = metrics.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Reviews per webhook and status code',
    labels: ['webhook', 'code'],
  })
  const latency = metrics.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Time per review',
    labels: ['webhook'],
    buckets: secondsBuckets,
  })
  return ({ path, code, ms }) => {
    // Clients choose unknown paths freely: they must not create time series.
    const webhook = code === 404 ? '<unknown>' : path
    requests({ webhook, code: String(code) }).add()
    latency({ webhook }).observe(ms / 1000)
  }
}
