import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { renewalsOf, type Renewal } from '#runtime/certificates/rotation.ts'
import { certificateNames } from './names.ts'
import { observe, type CertificatesSight } from './observe.ts'

/**
 * When the certificates of an installation are next to be renewed, by their Secrets. None while
 * nobody keeps them: nothing is installed, or it is being removed.
 */
export function currentRenewals(sight: CertificatesSight, kubevirt: KubeVirt | undefined): readonly Renewal[] {
  if (kubevirt === undefined || kubevirt.metadata.deletionTimestamp !== undefined) return []
  const { terms, observation } = observe(sight, kubevirt)
  return renewalsOf(certificateNames.authority, observation, terms)
}
