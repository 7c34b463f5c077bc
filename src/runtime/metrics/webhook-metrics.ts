import type { AdmissionServerOptions } from '../webhook/admission-server.ts'
import { createAnswerMetrics } from './answers.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts the reviews of an admission server. Give it to the server as `observe`. Define once per
 * registry.
 */
export function createWebhookMetrics(metrics: Metrics): NonNullable<AdmissionServerOptions['observe']> {
  const answered = createAnswerMetrics(metrics, {
    total: { name: 'controller_runtime_webhook_requests_total', help: 'Reviews per webhook and status code' },
    duration: { name: 'controller_runtime_webhook_latency_seconds', help: 'Time per review' },
    labels: ['webhook'],
  })
  // Clients choose unknown paths freely: they must not create time series.
  return ({ path, ...answer }) => answered({ webhook: answer.code === 404 ? '<unknown>' : path }, answer)
}
