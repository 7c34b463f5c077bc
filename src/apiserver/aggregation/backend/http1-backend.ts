import { Agent, request as httpsRequest } from 'node:https'
import { type BackendAnswer, type BackendRequest, headerList } from './backend.ts'

/** Connections at a time to a backend that does not speak HTTP/2: each watch takes one. */
const maxSockets = 1024

/** Connections to HTTP/1.1 backends that are kept open. */
export function createHttp1Agent(): Agent {
  return new Agent({ keepAlive: true, maxSockets, maxFreeSockets: 256, timeout: 0 })
}

/** Asks over HTTP/1.1. `options` say how to connect. */
export function requestHttp1(
  agent: Agent,
  options: object,
  host: string,
  { method, path, headers, body, signal }: BackendRequest,
): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ ...options, agent, method, path, signal, setHost: false })
    request.setHeader('host', host)
    for (const [name, value] of headers) request.appendHeader(name, value)
    // Node marks no end of a GET's or DELETE's body, and what has none the backend takes for the
    // next request: whoever wrote it would be whom they like.
    if (body !== undefined && !request.hasHeader('content-length')) request.setHeader('transfer-encoding', 'chunked')
    request.on('error', reject)
    request.once('response', (response) =>
      resolve({ status: response.statusCode ?? 502, headers: headerList(response.headers), body: response }),
    )
    if (body === undefined) request.end()
    // No pipeline: that would end the client's side too when the backend wants no more of the body,
    // and its answer could not be given.
    else body.pipe(request)
  })
}
