import type { Pod } from '#api/core/v1/pod.ts'
import { badRequest, methodNotAllowed, pathNotFound } from '#apimachinery/errors.ts'
import type { Verbs } from '#apiserver/endpoints/api-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { isTrue } from '#apiserver/request-info.ts'
import type { AnswerStream } from './exchange.ts'
import type { ResourceCall } from './resource-handler.ts'

/** Whose output is asked for, and which part of it. */
export interface LogRequest {
  /** Node where the pod runs. */
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** The run before the current one. */
  readonly previous: boolean
  /** Go on until the run has ended. */
  readonly follow: boolean
  /** Only so many last lines; all when absent. */
  readonly tailLines?: number
}

/** Gets the output of a container from its node, piece by piece. Rejects with a StatusError when there is none to be had. */
export type LogSource = (request: LogRequest, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>

/** Answers `GET …/pods/<name>/log`. */
export interface PodLogs {
  /** Undefined when the call is for something else. */
  handle(call: ResourceCall): Promise<void> | undefined
}

/** What {@link createPodLogs} needs. */
export interface PodLogsOptions {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
  /** Without one there are no logs: 404. */
  readonly source: LogSource | undefined
  /** Ends what is followed, when the server stops. */
  readonly stopping: AbortSignal
}

/** Bytes that may wait for a slow reader, and the pause (milliseconds) until there are fewer. */
const pendingLimitBytes = 256 * 1024
const slowReaderMs = 20

/** Options that the node's plain files cannot answer: refused aloud rather than ignored. */
const unsupported = ['sinceSeconds', 'sinceTime', 'timestamps', 'stream'] as const

/** Passes logs on from the nodes. */
export function createPodLogs({ verbs, registry, source, stopping }: PodLogsOptions): PodLogs {
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
    const request = logRequest(object as Pod, query)
    const limitBytes = numberIn(query, 'limitBytes', 1)
    for (const name of unsupported) {
      if ((query.get(name) ?? 'false') !== 'false') reply.warn(`${name} is not supported for logs yet: showing them without it`)
    }
    const chunks = await source(request, signal)
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
    // The status line has gone out: a broken answer is all that can tell the client.
    answer.abort()
  }
}

/** What to ask the node for. @throws StatusError 400 in the words of kube-apiserver */
function logRequest(pod: Pod, query: URLSearchParams): LogRequest {
  const { name = '', namespace = '' } = pod.metadata
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].map((container) => container.name)
  const asked = query.get('container') ?? ''
  const [only = ''] = pod.spec.containers.length === 1 ? containers : []
  const container = asked === '' ? only : asked
  if (container === '') throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]`)
  if (!containers.includes(container)) throw badRequest(`container ${container} is not valid for pod ${name}`)
  const { nodeName = '' } = pod.spec
  if (nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`)
  const tailLines = numberIn(query, 'tailLines', 0)
  return {
    node: nodeName,
    namespace,
    pod: name,
    container,
    previous: isTrue(query.get('previous')),
    follow: isTrue(query.get('follow')),
    ...(tailLines === undefined ? {} : { tailLines }),
  }
}

function numberIn(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < least) throw badRequest(`${name} must be a whole number from ${least} on, not "${text}"`)
  return value
}
