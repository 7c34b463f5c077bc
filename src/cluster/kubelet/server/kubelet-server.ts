import type { IncomingMessage, ServerResponse } from 'node:http'
import { rm } from 'node:fs/promises'
import { once } from 'node:events'
import { aborted } from '#runtime/clock/abort.ts'
import type { Logger } from '#runtime/process/log.ts'
import { findLog } from '../logs/find-log.ts'
import { readLog } from '../logs/read-log.ts'
import { ContainerNotFound } from '../pod/find-container.ts'
import { addressOf } from './request-address.ts'
import { createStreamServer, type StreamPorts } from '../streams/stream-server.ts'

// Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
const { createServer } = process.getBuiltinModule('node:http')

/** Dependencies of the server. */
export interface KubeletServerOptions extends StreamPorts {
  readonly socketPath: string
  readonly log: Logger
}

/** Longest path of a unix socket on Linux, in bytes. */
const maximumSocketPath = 107

/**
 * Serves the API of the kubelet's port in Kubernetes on a unix socket: `GET
 * /containerLogs/<namespace>/<pod>/<container>?tailLines=&since=&timestamps=&follow=&previous=`,
 * and the streams of {@link createStreamServer}. Access is controlled by the mode of the socket. A
 * path that is too long disables the server, with a warning.
 */
export async function runKubeletServer(options: KubeletServerOptions, signal: AbortSignal): Promise<void> {
  const { socketPath, log } = options
  if (Buffer.byteLength(socketPath) > maximumSocketPath) {
    log.warn({ socketPath }, 'logs and streams are not served: the path of the socket is too long')
    return
  }
  // The one of a kubelet that was killed.
  await rm(socketPath, { force: true })
  const server = createServer((request, response) => void answer(options, request, response, signal))
  const streams = createStreamServer(options)
  server.on('upgrade', (request, connection) => streams.upgrade(request, connection))
  server.on('error', (error) => log.warn({ socketPath, error }, 'logs and streams are not served'))
  server.listen({ path: socketPath, readableAll: false })
  await aborted(signal)
  streams[Symbol.dispose]()
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}

async function answer(options: KubeletServerOptions, request: IncomingMessage, response: ServerResponse, stop: AbortSignal): Promise<void> {
  const asked = addressOf(request)
  if (asked === undefined) return void response.writeHead(400).end()
  const { query: searchParams } = asked
  const [kind, namespace = '', pod = '', container = ''] = asked.path
  if (request.method !== 'GET' || kind !== 'containerLogs') return void response.writeHead(404).end()
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    const isSet = (name: string): boolean => searchParams.get(name) === 'true'
    const address = { namespace, pod, ...(container === '' ? {} : { container }), previous: isSet('previous') }
    const found = findLog(options.podsDirectory, address)
    const tail = searchParams.get('tailLines')
    const since = searchParams.get('since')
    const signal = AbortSignal.any([gone.signal, stop])
    const chunks = readLog(found, {
      clock: options.clock,
      follow: isSet('follow'),
      timestamps: isSet('timestamps'),
      signal,
      ...(tail === null ? {} : { tailLines: Number(tail) }),
      ...(since === null ? {} : { since: Number(since) }),
    })
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.flushHeaders()
    for await (const chunk of chunks) if (!response.write(chunk)) await once(response, 'drain', { signal })
    response.end()
  } catch (error) {
    if (gone.signal.aborted || stop.aborted) return void response.destroy()
    if (!response.headersSent) response.writeHead(error instanceof ContainerNotFound ? 404 : 500)
    response.end(error instanceof Error ? error.message : undefined)
  }
}
