import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'

/** Whether the target is the decision about a request for a certificate. */
export function isApproval({ definition, subresource }: Pick<Target, 'definition' | 'subresource'>): boolean {
  return subresource === 'approval' && definition.storageKey === 'certificates.k8s.io/certificatesigningrequests'
}

/**
 * What a write of the decision makes of the old object: it has other conditions and, as in
 * Kubernetes, other metadata; nothing else of it changes.
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
