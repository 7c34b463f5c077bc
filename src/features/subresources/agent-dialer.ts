import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { badRequest, internalError, StatusError } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { accessPath, agentPort, agentServerName, type GuestQuery, type GuestStream } from '#features/guest-access/index.ts'
import type { ServingSource } from '#features/certificates/index.ts'
import type { AggregatedRequest, Method, StreamRequest, UpgradedStream } from '#runtime/aggregated/aggregated-group.ts'
import { handshakeFields } from '#runtime/aggregated/streams.ts'

/** Calls the node agent of a guest's node. */
export interface AgentDialer {
  /** Connects a stream of a guest. @throws StatusError */
  connect(vmi: VirtualMachineInstance, stream: GuestStream, request: StreamRequest): Promise<UpgradedStream>
  /** Requests what the agent answers at once. @throws StatusError */
  ask(method: Method, vmi: VirtualMachineInstance, query: GuestQuery, request: AggregatedRequest): Promise<AgentContent>
}

/** Answer of a node agent. */
export interface AgentContent {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Dependencies of {@link createAgentDialer}. */
export interface AgentDialerOptions {
  readonly client: Pick<Client, 'list'>
  /** Namespace of the node agents. */
  readonly namespace: string
  /** Client certificate of virt-api, and the authorities of node agents. */
  readonly certificates: Pick<ServingSource, 'current'>
}

/** Milliseconds for the answer of a node agent. */
const answerMs = 10_000
/** Bytes of an answer: a picture of a large display has some MiB. */
const answerBytes = 64 << 20

/**
 * Dials the node agent of a guest's node over TLS. For a stream it passes on the handshake of the
 * client's WebSocket, so that the node agent ends it. Both sides show a certificate of the
 * installation.
 */
export function createAgentDialer({ client, namespace, certificates }: AgentDialerOptions): AgentDialer {
  return {
    async connect(vmi, stream, { query, upgradeHeaders, signal }) {
      const headers = { ...upgradeHeaders, connection: 'Upgrade' }
      return shakeHands(await dial(vmi, stream, { method: 'GET', query, headers, signal }), nodeOf(vmi))
    },
    async ask(method, vmi, subresource, { query, signal }) {
      return contentOf(await dial(vmi, subresource, { method, query, headers: {}, signal }), nodeOf(vmi))
    },
  }

  async function dial(
    vmi: VirtualMachineInstance,
    subresource: GuestStream | GuestQuery,
    { method, query, headers, signal }: DialOptions,
  ): Promise<ClientRequest> {
    const identity = certificates.current()
    if (identity === undefined) throw internalError('virt-api has no client certificate yet: try again in some seconds')
    const agent = await findAgent(client, namespace, nodeOf(vmi), signal)
    const { namespace: space = '', name = '' } = vmi.metadata
    const { request } = await import('node:https')
    return request({
      method,
      host: agent.status?.podIP,
      port: agentPort,
      servername: agentServerName(namespace),
      path: `${accessPath({ namespace: space, name, subresource })}${query.size === 0 ? '' : `?${query.toString()}`}`,
      ca: identity.bundle,
      cert: identity.certificate,
      key: identity.key,
      agent: false,
      headers,
      // It ends with the answer, and not with a stream that follows.
      timeout: answerMs,
      signal,
    })
  }
}

interface DialOptions extends Pick<AggregatedRequest, 'query' | 'signal'> {
  readonly method: Method
  readonly headers: Readonly<Record<string, string>>
}

function nodeOf({ status }: VirtualMachineInstance): string {
  return status?.nodeName ?? ''
}

/** Returns the ready node agent of a node, the newest of several. */
async function findAgent(client: Pick<Client, 'list'>, namespace: string, nodeName: string, signal: AbortSignal): Promise<Pod> {
  const selection = { namespace, labelSelector: 'kubevirt.io=virt-handler', fieldSelector: `spec.nodeName=${nodeName}`, signal }
  const { items } = await client.list(pods, selection)
  const [found] = items
    .filter(({ metadata, status }) => !isPodTerminal({ status }) && !isBeingDeleted({ metadata }) && isTrue(status?.conditions, 'Ready'))
    .toSorted((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''))
  // KubeVirt answers 400, after which virtctl tries again.
  if (found === undefined) throw badRequest(`no virt-handler is ready on node "${nodeName}": it may be replaced, try again in some seconds`)
  return found
}

function shakeHands(request: ClientRequest, nodeName: string): Promise<UpgradedStream> {
  return new Promise((resolve, reject) => {
    failWith(request, nodeName, reject)
    request.once('upgrade', (response: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.setTimeout(0)
      resolve({ headers: handshakeFields(response), socket, head })
    })
    request.once('response', (response) => void refusalOf(response).then(reject, reject))
    request.end()
  })
}

async function contentOf(request: ClientRequest, nodeName: string): Promise<AgentContent> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    failWith(request, nodeName, reject)
    request.once('response', resolve)
    request.end()
  })
  if (response.statusCode !== 200) throw await refusalOf(response)
  return { type: response.headers['content-type'] ?? 'application/octet-stream', bytes: await readAll(response) }
}

function failWith(request: ClientRequest, nodeName: string, reject: (error: Error) => void): void {
  request.once('timeout', () => request.destroy(new Error(`no answer within ${answerMs / 1000} s`)))
  request.once('error', (error) => reject(internalError(`cannot reach virt-handler on node "${nodeName}": ${error.message}`)))
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > answerBytes) throw internalError(`virt-handler answered with more than ${answerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the Status with which a node agent refuses. */
async function refusalOf(response: IncomingMessage): Promise<StatusError> {
  try {
    const status = JSON.parse((await readAll(response)).toString()) as ConstructorParameters<typeof StatusError>[0]
    if (typeof status.code === 'number' && typeof status.message === 'string') return new StatusError(status)
  } catch {
    // It is no Status.
  }
  return internalError(`virt-handler answered ${response.statusCode}`)
}
