import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { renewalsOf, type Renewal } from '#runtime/certificates/rotation.ts'
import { certificateNames } from './names.ts'
import { observe, type CertificateSources } from './observe.ts'

/**
 * Returns when certificates are next renewed, from their Secrets. Empty while nothing is installed
 * or the system is being removed.
 */
export function currentRenewals(sources: CertificateSources, kubevirt: KubeVirt | undefined): readonly Renewal[] {
  if (kubevirt === undefined || isBeingDeleted(kubevirt)) return []
  const { terms, observation } = observe(sources, kubevirt)
  return renewalsOf(certificateNames.authority, observation, terms)
}
