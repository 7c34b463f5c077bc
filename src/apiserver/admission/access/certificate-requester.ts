import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { wireUser } from '../review-request.ts'

/**
 * Sets the requester's username, uid, groups and extra in the spec of a CertificateSigningRequest.
 * Approvers rely on them, so clients cannot choose them.
 */
export const certificateRequester: AdmissionPlugin = {
  name: 'CertificateRequester',
  resources: new Set(['certificates.k8s.io/certificatesigningrequests']),
  mutate({ operation, target, object, context }) {
    if (operation !== 'CREATE' || target.subresource !== '') return undefined
    const { username: _, uid: __, groups: ___, extra: ____, ...spec } = (object as CertificateSigningRequest).spec
    const { extra, ...user } = wireUser(context.user)
    const isEmpty = Object.keys(extra ?? {}).length === 0
    const asked: CertificateSigningRequest['spec'] = { ...spec, ...user, ...(extra === undefined || isEmpty ? {} : { extra }) }
    const next: CertificateSigningRequest = { ...(object as CertificateSigningRequest), spec: asked }
    return next
  },
}
