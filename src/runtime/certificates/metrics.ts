import type { Clock } from '#runtime/clock/clock.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
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
  const until = (momentOf: (renewal: Renewal) => number) => (): Sample[] =>
    renewals().map((renewal) => [{ certificate: renewal.name }, Math.max(0, momentOf(renewal) - clock.now()) / 1000])
  metrics.gaugeFrom(
    { name: 'steadyvm_certificate_expiry_seconds', help: 'Seconds until a certificate is no longer valid', labels },
    until(({ notAfter }) => notAfter),
  )
  metrics.gaugeFrom(
    { name: 'steadyvm_certificate_renewal_seconds', help: 'Seconds until a certificate is to be renewed', labels },
    until(({ dueAt }) => dueAt),
  )
}
