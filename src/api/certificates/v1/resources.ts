import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { CertificateSigningRequest } from './certificate-signing-request.ts'

/** `/apis/certificates.k8s.io/v1/certificatesigningrequests` */
export const certificateSigningRequests: ResourceType<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
}
