import type { RequestInfo } from '#apiserver/request/request-info.ts'
import type { AuditLevel, AuditSink } from './audit-event.ts'
import { type AuditPolicy, compileAuditPolicy } from './audit-policy.ts'
import { type AuditedRequest, AuditTrail } from './audit-trail.ts'

/** Starts the record of a request; undefined when it is not recorded. */
export type Auditor = (request: AuditedRequest) => AuditTrail | undefined

/**
 * Reports whether bodies of a request carry secrets. They are never recorded, as a log has more
 * readers than a Secret.
 */
function isSecret(info: RequestInfo): boolean {
  if (info.kind === 'nonResource') return false
  const { group, resource, subresource } = info
  if (group === '') return resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token')
  return group === 'authentication.k8s.io' && resource === 'tokenreviews'
}

/** Records requests by a policy. */
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
