import type { Agent } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import type { HostPort } from '#apiserver/services/endpoint-finder.ts'
import type { RemoteApi } from '../api-services/api-services.ts'
import { type BackendAnswer, BackendFailure, type BackendRequest, type ProxyClient, serverNameOf, tlsOptions } from './backend.ts'
import { createHttp1Agent, requestHttp1 } from './http1-backend.ts'
import { http2Connection, type Http2Connection } from './http2-backend.ts'

/** Persistent connections to extension API servers, HTTP/2 where supported. */
export interface BackendPool extends Disposable {
  /** Rejects without an answer. */
  request(api: RemoteApi, address: HostPort, request: BackendRequest): Promise<BackendAnswer>
  /** Opens a dedicated HTTP/1.1 connection for an upgrade. */
  dial(api: RemoteApi, address: HostPort, signal: AbortSignal): Promise<TLSSocket>
}

/** Connection state of one address with one CA. */
interface Target {
  http2: Http2Connection[]
  opening: Promise<void> | undefined
  /**
   * Detected at the first connection, and reset when one fails, as another program may listen next.
   */
  isHttp1: boolean
}

const targetLimit = 256
const connectionsLimit = 16
const dialMs = 10_000

/**
 * @param client asked at each connection; without a client certificate backends trust no identity
 * headers
 */
export function createBackendPool(client: () => ProxyClient | undefined): BackendPool {
  const targets = new Map<string, Target>()
  let agent: Agent | undefined

  const targetFor = (api: RemoteApi, { host, port }: HostPort): Target => {
    const key = JSON.stringify([host, port, serverNameOf(api), api.ca, api.insecure])
    let target = targets.get(key)
    if (target === undefined) {
      if (targets.size >= targetLimit) closeAll()
      target = { http2: [], opening: undefined, isHttp1: false }
      targets.set(key, target)
    }
    return target
  }
  const closeAll = (): void => {
    for (const { http2 } of targets.values()) for (const connection of http2) connection.close()
    targets.clear()
    agent?.destroy()
    agent = undefined
  }

  const open = async (target: Target, api: RemoteApi, address: HostPort): Promise<void> => {
    const socket = await openTls(tlsOptions(api, address, client(), ['h2', 'http/1.1']), AbortSignal.timeout(dialMs))
    target.isHttp1 = socket.alpnProtocol !== 'h2'
    if (target.isHttp1) return void socket.destroy()
    const connection = http2Connection(socket, () => {
      target.http2 = target.http2.filter((other) => other !== connection)
    })
    target.http2.push(connection)
  }

  /** Returns a connection with a free stream; undefined when the server speaks HTTP/1.1 only. */
  const http2For = async (target: Target, api: RemoteApi, address: HostPort): Promise<Http2Connection | undefined> => {
    for (;;) {
      if (target.isHttp1) return undefined
      const free = target.http2.find((connection) => connection.free)
      if (free !== undefined) return free
      if (target.http2.length >= connectionsLimit) throw new BackendFailure('too many requests are running at this server')
      // Concurrent callers share the new connection.
      target.opening ??= open(target, api, address).finally(() => (target.opening = undefined))
      await target.opening
    }
  }

  const send = async (api: RemoteApi, address: HostPort, request: BackendRequest): Promise<BackendAnswer> => {
    const target = targetFor(api, address)
    const host = `${serverNameOf(api)}:${api.service.port}`
    const connection = await http2For(target, api, address)
    if (connection !== undefined) return connection.request(request, host)
    agent ??= createHttp1Agent()
    try {
      return await requestHttp1(agent, tlsOptions(api, address, client(), ['http/1.1']), host, request)
    } catch (error) {
      target.isHttp1 = false
      throw error
    }
  }

  return {
    async request(api, address, request) {
      try {
        return await send(api, address, request)
      } catch (error) {
        // The connection may have died while idle, and a GET can be repeated safely.
        if (request.body !== undefined || request.method !== 'GET' || request.signal.aborted) throw error
        return send(api, address, request)
      }
    },
    dial: (api, address, signal) => openTls(tlsOptions(api, address, client(), ['http/1.1']), signal),
    [Symbol.dispose]: closeAll,
  }
}

function openTls(options: ReturnType<typeof tlsOptions>, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const socket = connect({ ...options, noDelay: true } as typeof options)
    const onAbort = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('given up'))
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('error', reject)
    socket.once('close', () => signal.removeEventListener('abort', onAbort))
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort)
      socket.off('error', reject)
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
  })
}
