import type { Status } from '#apimachinery/errors.ts'
import type { AccessDecision } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'
import type { AuditEvent, AuditSink, AuditStage, ObjectReference, RecordedBodies } from './audit-event.ts'
import type { AuditDecision } from './audit-policy.ts'

/** A request, as its record begins. */
export interface AuditedRequest {
  readonly auditId: string
  /** Path and query. */
  readonly url: string
  readonly info: RequestInfo
  /** Undefined when nobody was let in. */
  readonly user: UserInfo | undefined
  /** Address and port of the client. */
  readonly address: string
  readonly userAgent: string
  readonly receivedMs: number
}

/**
 * Longest path and query, message and annotation that are kept: what waits for the disk must not be
 * of any size.
 */
const maxUri = 8192
const maxMessage = 4096
const maxAnnotation = 10 * 1024
const maxCauses = 10

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}

function objectRefOf(info: RequestInfo): { objectRef?: ObjectReference } {
  if (info.kind === 'nonResource') return {}
  const { resource, namespace, name, group, version, subresource } = info
  return {
    objectRef: {
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { apiGroup: group }),
      apiVersion: version,
      ...(subresource === '' ? {} : { subresource }),
    },
  }
}

/**
 * Microseconds, of which the last three are always zero: that is how long a stamp of Kubernetes is.
 */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

/** Collects what is recorded of one request, stage by stage. */
export class AuditTrail {
  readonly #request: AuditedRequest
  readonly #decision: AuditDecision
  readonly #sink: AuditSink
  readonly #now: () => number
  readonly #secret: boolean
  readonly #annotations: Record<string, string> = {}
  #actor: UserInfo | undefined
  #bodies: { request?: NonNullable<RecordedBodies['request']>; response?: Buffer } = {}

  /** `secret`: whether bodies of the request are not to be seen by those who read the log. */
  constructor(request: AuditedRequest, decision: AuditDecision, sink: AuditSink, now: () => number, secret: boolean) {
    this.#request = request
    this.#decision = decision
    this.#sink = sink
    this.#now = now
    this.#secret = secret
    this.#record('RequestReceived', undefined)
  }

  /**
   * Whether the request's body is wanted: to be written down, or for the name of a new object,
   * which is nowhere else.
   */
  get wantsRequest(): boolean {
    const { info } = this.#request
    return this.#decision.level !== 'Metadata' || (info.verb === 'create' && info.kind === 'resource' && info.name === '')
  }

  get wantsResponse(): boolean {
    return this.#decision.level === 'RequestResponse'
  }

  /** Somebody acts as somebody else. */
  actsAs(user: UserInfo): void {
    this.#actor = user
  }

  /** What authorization said. */
  decided({ allowed, reason }: AccessDecision): void {
    this.#annotations['authorization.k8s.io/decision'] = allowed ? 'allow' : 'forbid'
    this.#annotations['authorization.k8s.io/reason'] = reason
  }

  /** Somebody on the way of the request has something to note. */
  annotate(key: string, value: string): void {
    this.#annotations[key] = cut(value, maxAnnotation)
  }

  request(bytes: Buffer, contentType: string | undefined): void {
    this.#bodies.request = { bytes, contentType }
  }

  response(bytes: Buffer): void {
    this.#bodies.response = bytes
  }

  /** A long answer has begun. */
  started(code: number): void {
    this.#record('ResponseStarted', { code })
  }

  completed(code: number, failure?: Status): void {
    this.#record('ResponseComplete', failure ?? { code })
  }

  #record(stage: AuditStage, status: Partial<Status> | undefined): void {
    if (this.#decision.omitStages.has(stage)) return
    const { auditId, url, info, user, address, userAgent, receivedMs } = this.#request
    const event: AuditEvent = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#decision.level,
      auditID: auditId,
      stage,
      requestURI: cut(url, maxUri),
      verb: info.verb,
      user: user ?? {},
      ...(this.#actor === undefined ? {} : { impersonatedUser: this.#actor }),
      sourceIPs: [address.replace(/:\d+$/, '')],
      ...(userAgent === '' ? {} : { userAgent }),
      ...objectRefOf(info),
      ...(status === undefined ? {} : { responseStatus: { metadata: {}, ...recorded(status, this.#secret) } }),
      requestReceivedTimestamp: microTime(receivedMs),
      stageTimestamp: microTime(stage === 'RequestReceived' ? receivedMs : this.#now()),
      ...(stage === 'RequestReceived' ? {} : { annotations: this.#annotations }),
    }
    this.#sink(event, stage === 'ResponseComplete' ? { ...this.#bodies, omitManagedFields: this.#decision.omitManagedFields } : {})
  }
}

/** Messages and causes quote what was wrong; of something secret that would be the secret. */
function recorded({ kind: _kind, apiVersion: _version, ...status }: Partial<Status>, secret: boolean): Partial<Status> {
  const { message = '', details, ...rest } = status
  if (secret && (rest.code === 400 || rest.code === 422)) return rest
  const { causes, ...known } = details ?? {}
  const kept = causes?.slice(0, maxCauses).map((cause) => ({ ...cause, message: cut(cause.message ?? '', maxMessage) }))
  return {
    ...rest,
    ...(message === '' ? {} : { message: cut(message, maxMessage) }),
    ...(details === undefined ? {} : { details: { ...known, ...(kept === undefined ? {} : { causes: kept }) } }),
  }
}
