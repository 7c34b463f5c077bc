import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { forbidden, invalid } from '#apimachinery/errors.ts'
import { forbiddenValue, quote } from '#apimachinery/field-messages.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'

const decisions = ['Approved', 'Denied']

/**
 * Requires the right `approve` or `sign` on the signer that a CertificateSigningRequest names: who
 * may do so for one signer may not for all. Decisions are made through the approval subresource
 * only.
 */
export function createCertificateSigners(authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigners',
    resources: new Set(['certificates.k8s.io/certificatesigningrequests']),
    validate(request) {
      if (request.operation !== 'UPDATE' || request.object === undefined || request.old === undefined) return
      const next = request.object as CertificateSigningRequest
      const before = request.old as CertificateSigningRequest
      if (request.target.subresource === 'approval') requireRight(authorize, request, 'approve', before)
      else if (request.target.subresource === 'status' && !deepEqual(next.status, before.status)) {
        requireRight(authorize, request, 'sign', before)
        refuseDecision(request, next, before)
      }
    },
  }
}

function requireRight(
  authorize: Authorizer,
  { target, context }: AdmissionRequest,
  verb: 'approve' | 'sign',
  { spec }: CertificateSigningRequest,
): void {
  const wholeDomain = `${spec.signerName.split('/', 1)[0]}/*`
  if ([spec.signerName, wholeDomain].some((name) => mayUse(authorize, context.user, verb, name))) return
  throw forbidden(target.definition, target.name, `user not permitted to ${verb} requests with signerName ${quote(spec.signerName)}`)
}

function mayUse(authorize: Authorizer, user: UserInfo, verb: string, name: string): boolean {
  const signer = { kind: 'resource', verb, group: 'certificates.k8s.io', version: '*', resource: 'signers', subresource: '', name } as const
  return authorize(user, { ...signer, namespace: undefined }).allowed
}

function refuseDecision({ target }: AdmissionRequest, next: CertificateSigningRequest, before: CertificateSigningRequest): void {
  const has = ({ status }: CertificateSigningRequest, type: string): boolean =>
    status?.conditions?.some((one) => one.type === type) === true
  const added = decisions.filter((type) => has(next, type) && !has(before, type))
  if (added.length === 0) return
  const faults = added.map((type) => forbiddenValue('status.conditions', `updates may not add a condition of type ${quote(type)}`))
  throw invalid(target.definition, target.name, faults)
}
