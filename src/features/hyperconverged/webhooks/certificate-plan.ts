import { systemLabels } from '#api/access/managed.ts'
import type { CertificatePlan } from '#features/certificates/index.ts'
import { hyperConvergedKey, operatorCertificates, operatorName } from '../names.ts'

const hour = 3_600_000

/**
 * Certificates of the operator's webhooks. They are not those of KubeVirt: the operator answers
 * before it has created the KubeVirt object.
 */
export const operatorCertificatePlan: CertificatePlan = {
  terms: { ca: { durationMs: 168 * hour, renewBeforeMs: 34 * hour }, server: { durationMs: 24 * hour, renewBeforeMs: 5 * hour } },
  authority: operatorCertificates.authority,
  labels: systemLabels,
  wanted: [
    {
      secret: operatorCertificates.serving,
      subject: `CN=${operatorName}`,
      usage: 'server',
      names: ['', '.svc', '.svc.cluster.local'].map((suffix) => ({
        type: 'dns',
        value: `${operatorName}.${hyperConvergedKey.namespace}${suffix}`,
      })),
    },
  ],
}
