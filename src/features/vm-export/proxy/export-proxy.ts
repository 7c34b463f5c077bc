import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream/promises'
import type { Client } from '#client/client.ts'
import type { Logger } from '#runtime/process/log.ts'
import { tokenHeader } from '../export-task.ts'
import { externalPrefix, findExportServer, type ExportTarget } from './export-publisher.ts'

/** Passes downloads on from an Ingress or Route to export servers, as virt-exportproxy. */
export interface ExportProxy {
  /** True for a path of an export. */
  handles(request: Pick<IncomingMessage, 'url'>): boolean
  /** Answers a request; never rejects. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Dependencies of the proxy. */
export interface ExportProxyOptions {
  readonly client: Pick<Client, 'get'>
  readonly log: Logger
  /** Where a server is. Default: by the DNS of the cluster. */
  readonly addressOf?: (target: ExportTarget) => { readonly host: string; readonly port: number }
}

/** Requests at the same time: clients are not authenticated here. */
const requestsLimit = 100
const connectMs = 10_000
/** Headers of a client that a server acts on. Others, such as cookies, are none of its business. */
const passedOn = ['accept', 'range', 'if-range', 'if-none-match', tokenHeader]
const passedBack = ['content-type', 'content-length', 'content-range', 'content-disposition', 'accept-ranges', 'etag', 'last-modified']

/** Creates the proxy. Bytes are passed on as fast as the client takes them, and nothing is kept. */
export function createExportProxy({ client, log, addressOf = inCluster }: ExportProxyOptions): ExportProxy {
  let running = 0
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = request
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, 'the method must be GET or HEAD')
    if (running >= requestsLimit) return refuse(response, 503, 'too many downloads are running: try again')
    running++
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      const target = await findExportServer(client, url)
      if ('code' in target) return refuse(response, target.code, target.text)
      const answer = await ask(request, target, addressOf(target), gone.signal)
      response.writeHead(answer.statusCode ?? 502, chosen(answer.headers, passedBack))
      await pipeline(answer, response)
    } catch (error) {
      if (gone.signal.aborted) return
      log.warn({ error }, 'A download was not passed on')
      if (response.headersSent) response.destroy()
      else refuse(response, 503, 'the server of the export could not be reached: try again')
    } finally {
      running--
    }
  }
  return { handles: ({ url = '' }) => url.startsWith(externalPrefix), serve }
}

function inCluster({ namespace, service, port }: ExportTarget): { readonly host: string; readonly port: number } {
  return { host: `${service}.${namespace}.svc`, port }
}

function ask(
  { method, headers }: IncomingMessage,
  { namespace, service, url, authorities }: ExportTarget,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const name = `${service}.${namespace}.svc`
  return new Promise((resolve, reject) => {
    const sent = httpsRequest({
      host,
      port,
      method: method ?? 'GET',
      path: url,
      headers: { ...chosen(headers, passedOn), host: name },
      servername: name,
      ca: authorities,
      agent: false,
      signal,
    })
    const timer = setTimeout(() => sent.destroy(new Error(`no connection to ${name} in ${connectMs / 1000} s`)), connectMs)
    sent.once('socket', (socket) => socket.once('secureConnect', () => clearTimeout(timer)))
    sent.once('close', () => clearTimeout(timer))
    sent.on('error', reject)
    sent.once('response', resolve)
    sent.end()
  })
}

function chosen(headers: IncomingMessage['headers'], names: readonly string[]): Record<string, string | string[]> {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
}

function refuse(response: ServerResponse, code: number, text: string): void {
  response
    .writeHead(code, { 'content-type': 'text/plain; charset=utf-8', ...(code === 503 ? { 'retry-after': '1' } : {}) })
    .end(`${text}\n`)
}
