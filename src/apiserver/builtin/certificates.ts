import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { certificateSigningRequests } from '#api/certificates/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { certificateRequestStrategy } from './certificate-request-strategy.ts'

const column = columnsOf<CertificateSigningRequest>()

function decision({ status }: CertificateSigningRequest): string {
  const types = (status?.conditions ?? []).map(({ type }) => type)
  const decided = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending'
  const failed = types.includes('Failed') ? ',Failed' : ''
  return status?.certificate === undefined || status.certificate === '' ? `${decided}${failed}` : `${decided}${failed},Issued`
}

/** Resources of `certificates.k8s.io/v1`. */
export function certificatesDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...certificateSigningRequests,
      shortNames: ['csr'],
      schema: schemaOf(certificateSigningRequests),
      hasStatus: true,
      columns: [
        nameColumn,
        ageColumn,
        column('SignerName', ({ spec }) => spec.signerName),
        column('Requestor', ({ spec }) => orNone(spec.username)),
        column('RequestedDuration', ({ spec }) => (spec.expirationSeconds === undefined ? '<none>' : `${spec.expirationSeconds}s`)),
        column('Condition', decision),
      ],
      selectableFields: new Map([['spec.signerName', (object) => (object as CertificateSigningRequest).spec.signerName]]),
      strategy: certificateRequestStrategy,
      extraSubresources: [
        {
          name: 'approval',
          kind: 'CertificateSigningRequest',
          group: 'certificates.k8s.io',
          version: 'v1',
          verbs: ['get', 'patch', 'update'],
        },
      ],
    }),
  ]
}
