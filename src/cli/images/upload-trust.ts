import { X509Certificate } from 'node:crypto'
import { checkServerIdentity, getCACertificates, type ConnectionOptions } from 'node:tls'
import { componentNamespace } from '#api/access/component-users.ts'
import { certificatesOf, signerOf } from '#runtime/certificates/bundle.ts'

/** Name in virt-api's certificate, without an address: only administrators know where it is. */
const serviceName = `virt-api.${componentNamespace}.svc`

/**
 * Trusts the authorities of the machine, such as that of an Ingress, and the cluster's, which signs
 * the certificate of virt-api: that is accepted by whatever address it is reached.
 */
export function trustIn(authority: string): Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'> {
  const ours = certificatesOf(authority)
  return {
    ca: [...getCACertificates('default'), authority],
    checkServerIdentity(host, certificate) {
      const refusal = checkServerIdentity(host, certificate)
      const isOurs = refusal !== undefined && signerOf(new X509Certificate(certificate.raw).toString(), ours) !== undefined
      return isOurs && checkServerIdentity(serviceName, certificate) === undefined ? undefined : refusal
    },
  }
}
