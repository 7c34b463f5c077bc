import { managedLabels } from '#api/access/managed.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { Terms } from '#runtime/certificates/rotation.ts'
import { certificateDurationsOf } from './durations.ts'
import { exportAuthorityTerms } from './export-authority.ts'
import { certificateNames } from './names.ts'
import { wantedCertificates, type WantedCertificate } from './wanted.ts'

/** An authority and the certificates that it signs, as one installation wants them. */
export interface CertificatePlan {
  readonly terms: Terms
  readonly wanted: readonly WantedCertificate[]
  /** Name of the Secret of the authority, and of the ConfigMap with all trusted ones. */
  readonly authority: string
  /** Labels of the objects. */
  readonly labels: Readonly<Record<string, string>>
}

/**
 * Returns the certificates that a KubeVirt object asks for. `hasMigration`: nodes get migration
 * certificates from Secrets. Pure.
 */
export function certificatePlanOf(kubevirt: Pick<KubeVirt, 'spec'>, namespace: string, hasMigration: boolean): CertificatePlan {
  return {
    terms: certificateDurationsOf(kubevirt, hasMigration),
    wanted: wantedCertificates(namespace, hasMigration),
    authority: certificateNames.authority,
    labels: managedLabels,
  }
}

/**
 * Returns the plan of the authority of export servers. virt-controller issues their certificates
 * itself: the operator only keeps the authority. Pure.
 */
export function exportAuthorityPlanOf(kubevirt: Pick<KubeVirt, 'spec'>): CertificatePlan {
  return {
    terms: exportAuthorityTerms(certificateDurationsOf(kubevirt, false)),
    wanted: [],
    authority: certificateNames.exportAuthority,
    labels: managedLabels,
  }
}
