import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'

/** Reports whether the target is the approval subresource of a CertificateSigningRequest. */
export function isApproval({ definition, subresource }: Pick<Target, 'definition' | 'subresource'>): boolean {
  return subresource === 'approval' && definition.storageKey === 'certificates.k8s.io/certificatesigningrequests'
}

/**
 * Applies a write of the approval subresource: it changes conditions and, as in Kubernetes,
 * metadata.
 */
export function withApproval(old: KubeObject, next: KubeObject, nowMs: number): KubeObject {
  const before = old as CertificateSigningRequest
  const time = rfc3339(nowMs)
  const conditions = ((next as CertificateSigningRequest).status?.conditions ?? []).map((condition) => ({
    lastUpdateTime: time,
    lastTransitionTime: before.status?.conditions?.find(({ type }) => type === condition.type)?.lastTransitionTime ?? time,
    ...condition,
  }))
  const decided: CertificateSigningRequest = { ...before, metadata: next.metadata ?? {}, status: { ...before.status, conditions } }
  return decided
}
