import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** Counts VMs that are created. Called with each request that was allowed. */
export type OnCreated = (request: Pick<AdmissionRequest, 'operation' | 'dryRun' | 'namespace'>) => void

/** Defines KubeVirt's counter of VMs by the virt-api that has admitted them. */
export function defineCreationMetrics(metrics: Pick<Metrics, 'counter'>): OnCreated {
  const created = metrics.counter({
    name: 'kubevirt_vm_created_by_pod_total',
    help: '[Deprecated] The total number of VMs created by namespace and virt-api pod, since install.',
    labels: ['namespace'],
  })
  return ({ operation, dryRun, namespace = '' }) => {
    if (operation === 'CREATE' && dryRun !== true) created({ namespace }).add()
  }
}
