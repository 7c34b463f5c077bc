import type { Status } from '#apimachinery/errors.ts'
import type { AccessDecision } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'
import type { AuditEvent, AuditSink, AuditStage, ObjectReference, RecordedBodies } from './audit-event.ts'
import type { AuditDecision } from './audit-policy.ts'

/** Request of a record. */
export interface AuditedRequest {
  readonly auditId: string
  /** Path and query. */
  readonly url: string
  readonly info: RequestInfo
  /** Undefined for an unauthenticated request. */
  readonly user: UserInfo | undefined
  /** Address and port of the client. */
  readonly address: string
  readonly userAgent: string
  readonly receivedMs: number
}

/** Limit of paths, messages and annotations, as pending events are in memory. */
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

/** Formats microseconds, as Kubernetes does; the last three digits are 0. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

/** Record of one request. */
export class AuditTrail {
  readonly #request: AuditedRequest
  readonly #decision: AuditDecision
  readonly #sink: AuditSink
  readonly #now: () => number
  readonly #secret: boolean
  readonly #annotations: Record<string, string> = {}
  #actor: UserInfo | undefined
  #bodies: { request?: NonNullable<RecordedBodies['request']>; response?: Buffer } = {}

  /** @param secret whether bodies must not be recorded */
  constructor(request: AuditedRequest, decision: AuditDecision, sink: AuditSink, now: () => number, secret: boolean) {
    this.#request = request
    this.#decision = decision
    this.#sink = sink
    this.#now = now
    this.#secret = secret
    this.#record('RequestReceived', undefined)
  }

  /** True if the request's body is needed: to record it, or for the name of a new object. */
  get wantsRequest(): boolean {
    const { info } = this.#request
    return this.#decision.level !== 'Metadata' || (info.verb === 'create' && info.kind === 'resource' && info.name === '')
  }

  get wantsResponse(): boolean {
    return this.#decision.level === 'RequestResponse'
  }

  /** Records impersonation. */
  actsAs(user: UserInfo): void {
    this.#actor = user
  }

  /** Records the authorization decision. */
  decided({ allowed, reason }: AccessDecision): void {
    this.#annotations['authorization.k8s.io/decision'] = allowed ? 'allow' : 'forbid'
    this.#annotations['authorization.k8s.io/reason'] = reason
  }

  /** Adds an annotation. */
  annotate(key: string, value: string): void {
    this.#annotations[key] = cut(value, maxAnnotation)
  }

  request(bytes: Buffer, contentType: string | undefined): void {
    this.#bodies.request = { bytes, contentType }
  }

  response(bytes: Buffer): void {
    this.#bodies.response = bytes
  }

  /** Records the start of a streamed answer. */
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

/** Drops messages and causes of secret objects, which quote values. */
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
