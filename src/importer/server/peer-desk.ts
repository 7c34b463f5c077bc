import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { PeerAddress } from '../task/task.ts'

/** Takes the address of the worker that serves the source. */
export interface PeerDesk {
  /** Answers `POST /source`. */
  serve(request: IncomingMessage, response: ServerResponse): void
  /** Waits for an address that is told from now on. */
  next(signal: AbortSignal): Promise<PeerAddress>
}

/** Bytes of an address with its certificates. */
const longest = 256 * 1024

/**
 * Creates a desk, which listens to the client with this common name. An address that is told while
 * none is waited for is dropped: it is told again.
 */
export function createPeerDesk(controller: string): PeerDesk {
  let waiting: ((address: PeerAddress) => void) | undefined
  return {
    serve(request, response) {
      const isAddress = request.method === 'POST' && request.url === '/source'
      if (!isAddress) return void response.writeHead(404).end()
      const { subject } = (request.socket as TLSSocket).getPeerCertificate()
      if (subject.CN !== controller) return void response.writeHead(403).end()
      void bodyOf(request).then(
        (text) => {
          const address = parseAddress(text)
          response.writeHead(address === undefined ? 400 : 204).end()
          if (address !== undefined) waiting?.(address)
        },
        () => request.destroy(),
      )
    },
    next(signal) {
      signal.throwIfAborted()
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          waiting = undefined
          reject(signal.reason as Error)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        waiting = (address) => {
          waiting = undefined
          signal.removeEventListener('abort', onAbort)
          resolve(address)
        }
      })
    },
  }
}

/** Undefined for a body that is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longest) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseAddress(text: string | undefined): PeerAddress | undefined {
  try {
    const value = JSON.parse(text ?? '') as unknown
    if (typeof value !== 'object' || value === null) return undefined
    const { host, port, name, authority } = value as Partial<Record<keyof PeerAddress, unknown>>
    if (typeof host !== 'string' || typeof port !== 'number' || typeof name !== 'string' || typeof authority !== 'string') return undefined
    return { host, port, name, authority }
  } catch {
    return undefined
  }
}
