import type { IncomingMessage } from 'node:http'
import { badRequest, internalError } from '#apimachinery/errors.ts'

// Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
const { request } = process.getBuiltinModule('node:http')

/** Selects a container log of a node. */
export interface RemoteLog {
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly previous: boolean
  readonly follow: boolean
  readonly tailLines?: number
  /** Milliseconds since the epoch. */
  readonly since?: number
  readonly timestamps?: boolean
}

/**
 * Reads a log from the socket of its node's kubelet, see {@link runKubeletServer}. `socketOf` gives
 * the socket's path.
 * @throws StatusError 400 when the kubelet has no such log, 500 when it does not answer
 */
export async function openRemoteLog(
  socketOf: (node: string) => string,
  log: RemoteLog,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { node, namespace, pod, container, previous, follow, tailLines, since, timestamps = false } = log
  const query = new URLSearchParams({
    ...(previous ? { previous: 'true' } : {}),
    ...(follow ? { follow: 'true' } : {}),
    ...(timestamps ? { timestamps: 'true' } : {}),
    ...(tailLines === undefined ? {} : { tailLines: String(tailLines) }),
    ...(since === undefined ? {} : { since: String(since) }),
  })
  const path = `/containerLogs/${[namespace, pod, container].map(encodeURIComponent).join('/')}?${query.toString()}`
  let response: IncomingMessage
  try {
    response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ socketPath: socketOf(node), path, agent: false, signal }, resolve)
        .on('error', reject)
        .end()
    })
  } catch (error) {
    throw internalError(`the kubelet of node "${node}" does not answer: ${error instanceof Error ? error.message : String(error)}`, error)
  }
  if (response.statusCode === 200) return response
  const message = Buffer.concat((await response.toArray()) as Buffer[]).toString()
  throw response.statusCode === 404 ? badRequest(message) : internalError(message)
}
