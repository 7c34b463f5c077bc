import type { Clock } from '#runtime/clock/clock.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Renewal } from './rotation.ts'

/**
 * Tells for how long certificates are good. Both numbers end at 0: one that ought to have been
 * renewed, or is over, has nothing left.
 */
export function defineCertificateMetrics(
  metrics: Pick<Metrics, 'gaugeFrom'>,
  { clock, renewals }: { readonly clock: Pick<Clock, 'now'>; readonly renewals: () => readonly Renewal[] },
): void {
  const labels = ['certificate']
  const define = (name: string, help: string, momentOf: (renewal: Renewal) => number): void =>
    metrics.gaugeFrom({ name, help, labels }, () =>
      renewals().map((renewal) => [{ certificate: renewal.name }, Math.max(0, momentOf(renewal) - clock.now()) / 1000] as const),
    )
  define('steadyvm_certificate_expiry_seconds', 'Seconds until a certificate is no longer valid', ({ notAfter }) => notAfter)
  define('steadyvm_certificate_renewal_seconds', 'Seconds until a certificate is to be renewed', ({ dueAt }) => dueAt)
}
