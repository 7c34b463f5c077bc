import type { RequestInfo } from '#apiserver/request/request-info.ts'
import type { AuditLevel, AuditSink } from './audit-event.ts'
import { type AuditPolicy, compileAuditPolicy } from './audit-policy.ts'
import { type AuditedRequest, AuditTrail } from './audit-trail.ts'

/** Says which requests are recorded. Undefined: not this one. */
export type Auditor = (request: AuditedRequest) => AuditTrail | undefined

/**
 * Whether bodies of a request carry secrets. These are never written down, whatever a policy says:
 * a log is read by more people than a Secret.
 */
function isSecret(info: RequestInfo): boolean {
  if (info.kind === 'nonResource') return false
  const { group, resource, subresource } = info
  if (group === '') return resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token')
  return group === 'authentication.k8s.io' && resource === 'tokenreviews'
}

/** Records requests as a policy says. */
export function createAuditor(policy: AuditPolicy, sink: AuditSink, now: () => number): Auditor {
  const evaluate = compileAuditPolicy(policy)
  return (request) => {
    const decision = evaluate(request.user, request.info)
    if (decision.level === 'None') return undefined
    const secret = isSecret(request.info)
    const level: AuditLevel = secret ? 'Metadata' : decision.level
    return new AuditTrail(request, level === decision.level ? decision : { ...decision, level }, sink, now, secret)
  }
}
