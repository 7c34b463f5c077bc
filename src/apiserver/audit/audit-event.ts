import type { Status } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'

/** How much is recorded of a request. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'

/** When an event is made: once the user is known, when a long answer begins, when all is done. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete'

/** What the request was about. */
export interface ObjectReference {
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly apiGroup?: string
  readonly apiVersion: string
  readonly subresource?: string
}

/** `audit.k8s.io/v1` Event: one line of the audit log. */
export interface AuditEvent {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  readonly level: AuditLevel
  readonly auditID: string
  readonly stage: AuditStage
  readonly requestURI: string
  readonly verb: string
  readonly user: Partial<UserInfo>
  readonly impersonatedUser?: UserInfo
  readonly sourceIPs: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: ObjectReference
  readonly responseStatus?: Partial<Status>
  readonly requestObject?: object
  readonly responseObject?: object
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** Bodies as they went over the wire. */
export interface RecordedBodies {
  readonly request?: { readonly bytes: Buffer; readonly contentType: string | undefined }
  readonly response?: Buffer
  /** Default false. */
  readonly omitManagedFields?: boolean
}

/**
 * Takes events as they come; must not throw, nor wait. Bodies come as bytes, to be understood
 * later: requests do not wait for their records. Whether they are written down is the event's
 * level; from a request's body its object's name may be taken in any case.
 */
export type AuditSink = (event: AuditEvent, bodies: RecordedBodies) => void
