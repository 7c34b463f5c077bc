import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { renewalsOf, type Renewal } from '#runtime/certificates/rotation.ts'
import { observe, type CertificateSources } from './observe.ts'
import { certificatePlanOf, exportAuthorityPlanOf } from './plan.ts'

/**
 * Returns when certificates are next renewed, from their Secrets. Empty while nothing is installed
 * or the system is being removed.
 */
export function currentRenewals(
  { hasMigration, ...sources }: CertificateSources & { readonly hasMigration: boolean },
  kubevirt: KubeVirt | undefined,
): readonly Renewal[] {
  if (kubevirt === undefined || isBeingDeleted(kubevirt)) return []
  const plans = [certificatePlanOf(kubevirt, sources.namespace, hasMigration), exportAuthorityPlanOf(kubevirt)]
  return plans.flatMap((plan) => renewalsOf(plan.authority, observe(sources, plan).observation, plan.terms))
}
