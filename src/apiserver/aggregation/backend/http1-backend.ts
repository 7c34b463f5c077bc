import { Agent, request as httpsRequest } from 'node:https'
import { type BackendAnswer, type BackendRequest, headerList } from './backend.ts'

/** Connections to a backend without HTTP/2, where each watch occupies one. */
const maxSockets = 1024

/** Creates a pool of HTTP/1.1 connections. */
export function createHttp1Agent(): Agent {
  return new Agent({ keepAlive: true, maxSockets, maxFreeSockets: 256, timeout: 0 })
}

/** Sends a request over HTTP/1.1. */
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
    // Node does not frame the body of a GET or DELETE, and the backend would parse it as another
    // request (request smuggling).
    if (body !== undefined && !request.hasHeader('content-length')) request.setHeader('transfer-encoding', 'chunked')
    request.on('error', reject)
    request.once('response', (response) =>
      resolve({ status: response.statusCode ?? 502, headers: headerList(response.headers), body: response }),
    )
    if (body === undefined) request.end()
    // Not `pipeline`, which would destroy the client's side when the backend stops reading, before
    // the answer is sent.
    else body.pipe(request)
  })
}
