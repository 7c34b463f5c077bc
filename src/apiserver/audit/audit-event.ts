import type { UserInfo } from '#apiserver/endpoints/api-request.ts'
import type { RequestInfo } from '#apiserver/request-info.ts'

/** What is recorded of a request when it has been answered: metadata, never bodies. */
export interface AuditEvent {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  readonly level: 'Metadata'
  readonly auditID: string
  readonly stage: 'ResponseComplete'
  readonly requestURI: string
  readonly verb: string
  readonly user: UserInfo | undefined
  readonly impersonatedUser?: UserInfo
  readonly sourceIPs: readonly string[]
  readonly userAgent: string
  readonly objectRef?: object
  readonly responseStatus: { readonly metadata: object; readonly code: number }
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
}

/** Takes events as they come. Must not throw. */
export type AuditSink = (event: AuditEvent) => void

/** Puts an event together. */
export function auditEvent(parts: {
  readonly auditId: string
  readonly url: string
  readonly info: RequestInfo
  readonly user: UserInfo | undefined
  readonly impersonated: UserInfo | undefined
  readonly address: string
  readonly userAgent: string
  readonly code: number
  readonly receivedMs: number
  readonly answeredMs: number
}): AuditEvent {
  const { info } = parts
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: parts.auditId,
    stage: 'ResponseComplete',
    requestURI: parts.url,
    verb: info.verb,
    user: parts.user,
    ...(parts.impersonated === undefined ? {} : { impersonatedUser: parts.impersonated }),
    sourceIPs: [parts.address.replace(/:\d+$/, '')],
    userAgent: parts.userAgent,
    ...(info.kind === 'nonResource'
      ? {}
      : {
          objectRef: {
            resource: info.resource,
            ...(info.namespace === undefined ? {} : { namespace: info.namespace }),
            ...(info.name === '' ? {} : { name: info.name }),
            ...(info.group === '' ? {} : { apiGroup: info.group }),
            apiVersion: info.version,
            ...(info.subresource === '' ? {} : { subresource: info.subresource }),
          },
        }),
    responseStatus: { metadata: {}, code: parts.code },
    requestReceivedTimestamp: new Date(parts.receivedMs).toISOString(),
    stageTimestamp: new Date(parts.answeredMs).toISOString(),
  }
}
