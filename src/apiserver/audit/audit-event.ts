import type { Status } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'

/** Detail of a record. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'

/** Stage of an event: user known, streamed answer begun, answered. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete'

/** Object of a request. */
export interface ObjectReference {
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly apiGroup?: string
  readonly apiVersion: string
  readonly subresource?: string
}

/** `audit.k8s.io/v1` Event, one line of the audit log. */
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

/** Bodies as transferred. */
export interface RecordedBodies {
  readonly request?: { readonly bytes: Buffer; readonly contentType: string | undefined }
  readonly response?: Buffer
  /** Default false. */
  readonly omitManagedFields?: boolean
}

/**
 * Receives events; must neither throw nor wait. Bodies are decoded later, off the request's path.
 * The event's level decides whether they are written; the name of a new object may be read from a
 * body in any case.
 */
export type AuditSink = (event: AuditEvent, bodies: RecordedBodies) => void
