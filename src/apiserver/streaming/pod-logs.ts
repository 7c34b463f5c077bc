import type { Pod } from '#api/core/v1/pod.ts'
import { badRequest, invalid, methodNotAllowed, pathNotFound, StatusError } from '#apimachinery/errors.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { isTrue } from '#apiserver/request/request-info.ts'
import { chooseContainer, nodeOf } from '#apiserver/streaming/pod-container.ts'
import type { AnswerStream } from '../http/exchange.ts'
import type { ResourceCall } from '../front/resources/resource-handler.ts'

/** Options of a log request. */
export interface LogRequest {
  /** Node of the pod. */
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** True to read the previous run. */
  readonly previous: boolean
  /** True to continue until the run ends. */
  readonly follow: boolean
  /** Number of last lines; all when absent. */
  readonly tailLines?: number
  /** Earliest time of a line in milliseconds since the epoch; all when absent. */
  readonly since?: number
  /** True to begin each line with its time. */
  readonly timestamps: boolean
}

/** Reads the output of a container from its node. Rejects with a StatusError when there is none. */
export type LogSource = (request: LogRequest, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>

/** Serves `GET …/pods/<name>/log`. */
export interface PodLogs {
  /** Returns undefined for other requests. */
  handle(call: ResourceCall): Promise<void> | undefined
}

/** Options of {@link createPodLogs}. */
export interface PodLogsOptions {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
  /** Default: logs are not served (404). */
  readonly source: LogSource | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Ends followed logs at shutdown. */
  readonly stopping: AbortSignal
}

/** Bytes that may wait for a slow client, and the pause in milliseconds until there are fewer. */
const pendingLimitBytes = 256 * 1024
const slowReaderMs = 20

/** Forwards logs from the nodes. */
export function createPodLogs({ verbs, registry, source, now, stopping }: PodLogsOptions): PodLogs {
  const serve = async (call: ResourceCall): Promise<void> => {
    const { info, exchange, reply, query, user } = call
    const definition = registry.find('', 'v1', 'pods')
    if (definition === undefined || source === undefined || info.namespace === undefined) throw pathNotFound()
    if (info.verb !== 'get') throw methodNotAllowed(definition, info.verb)
    const gone = new AbortController()
    exchange.onGone(() => gone.abort())
    const signal = AbortSignal.any([gone.signal, stopping])
    const target = { definition, namespace: info.namespace, name: info.name, subresource: '' }
    const { object } = await verbs.get(target, { user, warn: (text) => reply.warn(text), signal, fieldManager: '' })
    const request = logRequest(object as Pod, query, now())
    const limitBytes = numberIn(query, 'limitBytes', 1)
    const chunks = await source(request, signal).catch((error: unknown) => {
      throw withWaitingReason(error, object as Pod, request.container)
    })
    await send(reply.open('text/plain'), chunks, limitBytes ?? Infinity, signal)
  }
  return {
    handle: (call) =>
      call.info.group === '' && call.info.resource === 'pods' && call.info.subresource === 'log' ? serve(call) : undefined,
  }
}

async function send(answer: AnswerStream, chunks: AsyncIterable<Uint8Array>, limitBytes: number, signal: AbortSignal): Promise<void> {
  let left = limitBytes
  try {
    for await (const chunk of chunks) {
      answer.write(Buffer.from(chunk.subarray(0, left)))
      left -= chunk.length
      if (left <= 0) break
      while (answer.pendingBytes > pendingLimitBytes && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, slowReaderMs))
    }
    answer.end()
  } catch {
    // The status line is sent, so the error can only break the answer off.
    answer.abort()
  }
}

/** Parses the options. @throws StatusError 400, 422 in kube-apiserver's words */
function logRequest(pod: Pod, query: URLSearchParams, nowMs: number): LogRequest {
  const { name = '', namespace = '' } = pod.metadata
  const tailLines = numberIn(query, 'tailLines', 0)
  const since = sinceIn(query, nowMs)
  return {
    container: chooseContainer(pod, query.get('container') ?? ''),
    node: nodeOf(pod),
    namespace,
    pod: name,
    previous: isTrue(query.get('previous')),
    follow: isTrue(query.get('follow')),
    timestamps: isTrue(query.get('timestamps')),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(since === undefined ? {} : { since }),
  }
}

function sinceIn(query: URLSearchParams, nowMs: number): number | undefined {
  const seconds = numberIn(query, 'sinceSeconds', 1)
  const text = query.get('sinceTime') ?? ''
  if (text === '') return seconds === undefined ? undefined : nowMs - seconds * 1000
  if (seconds !== undefined) throw refused('', 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified')
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw badRequest(`unable to decode query parameter sinceTime: "${text}" is no RFC 3339 time`)
  return time
}

function numberIn(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw badRequest(`${name} must be a whole number, not "${text}"`)
  const limit = least === 0 ? 'greater than or equal to 0' : 'greater than 0'
  if (value < least) throw refused(name, `Invalid value: ${value}: must be ${limit}`)
  return value
}

function refused(field: string, message: string): StatusError {
  const reason = message.startsWith('Forbidden') ? 'FieldValueForbidden' : 'FieldValueInvalid'
  return invalid({ group: '', kind: 'PodLogOptions' }, '', [{ reason, field, message }])
}

/** Adds the reason from the pod's status to the node's error about a waiting container. */
function withWaitingReason(error: unknown, pod: Pod, container: string): unknown {
  if (!(error instanceof StatusError) || !error.message.endsWith('is waiting to start')) return error
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]
  const reason = statuses.find(({ name }) => name === container)?.state?.waiting?.reason ?? ''
  return reason === '' ? error : badRequest(`${error.message}: ${waitingWords[reason] ?? reason}`)
}

const waitingWords: Readonly<Record<string, string>> = {
  ImagePullBackOff: 'trying and failing to pull image',
  ErrImagePull: "image can't be pulled",
}
