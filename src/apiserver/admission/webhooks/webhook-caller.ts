import { Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import type { WebhookClientConfig } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { parseExactJson } from '#apimachinery/json/long-integers.ts'
import { traceHeaders } from '#apiserver/request/trace-context.ts'

/** A webhook could not be called, or its answer is invalid. */
class WebhookUnavailable extends Error {
  override readonly name = 'WebhookUnavailable'
}

/** Resolves a service to an address. Undefined: it has no endpoints. */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => { readonly host: string; readonly port: number } | undefined

/** Calls webhooks over persistent connections. */
export interface WebhookCaller extends Disposable {
  /** @throws WebhookUnavailable */
  post(webhook: Callable, body: object, timeoutSeconds: number): Promise<unknown>
}

/** An admission or conversion webhook. */
interface Callable {
  readonly clientConfig: WebhookClientConfig
}

interface Address {
  readonly host: string
  readonly port: number
  readonly path: string
  /** Expected name in the certificate. */
  readonly serverName: string
  /** For messages. */
  readonly url: string
}

const answerLimitBytes = 16 * 1024 * 1024
const agentLimit = 256

function addressOf({ clientConfig }: Callable, resolveService: ServiceResolver): Address {
  if (clientConfig.url !== undefined) {
    const url = new URL(clientConfig.url)
    if (url.protocol !== 'https:') throw new WebhookUnavailable(`URL "${clientConfig.url}" must begin with https://`)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    return { host, port: Number(url.port || 443), path: url.pathname, serverName: host, url: clientConfig.url }
  }
  const { service } = clientConfig
  if (service === undefined) throw new WebhookUnavailable('clientConfig must have a url or a service')
  const port = service.port ?? 443
  const found = resolveService(service.namespace, service.name, port)
  const path = service.path || '/'
  const serverName = `${service.name}.${service.namespace}.svc`
  const url = `https://${serverName}:${port}${path}`
  if (found === undefined)
    throw new WebhookUnavailable(`Post "${url}": service "${service.namespace}/${service.name}" has no endpoint for port ${port}`)
  return { ...found, path, serverName, url }
}

/** Errors of a request on a connection that the other side has closed. */
const closedByPeer = new Set(['ECONNRESET', 'EPIPE'])

/** Creates a caller. Webhooks with the same address and CA share connections. */
export function createWebhookCaller(resolveService: ServiceResolver): WebhookCaller {
  let agents = new Map<string, Agent>()

  const agentFor = (caBundle: string, serverName: string): Agent => {
    const key = `${serverName} ${caBundle}`
    let agent = agents.get(key)
    if (agent === undefined) {
      if (agents.size >= agentLimit) closeAll()
      agent = new Agent({
        keepAlive: true,
        maxSockets: 64,
        ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString() }),
        // IP addresses must not be sent as server names; they are checked all the same.
        ...(/^[\d.]+$|:/.test(serverName) ? {} : { servername: serverName }),
      })
      agents.set(key, agent)
    }
    return agent
  }
  const closeAll = (): void => {
    const old = agents
    agents = new Map()
    for (const agent of old.values()) agent.destroy()
  }

  const send = (options: RequestOptions, body: Buffer, timeoutMs: number): Promise<{ status: number; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const request = httpsRequest(options, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > answerLimitBytes) request.destroy(new WebhookUnavailable(`Answer is larger than ${answerLimitBytes} bytes`))
          else chunks.push(chunk)
        })
        response.once('end', () => finish(() => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) })))
        response.once('error', (error) => finish(() => reject(error)))
      })
      const timer = setTimeout(() => request.destroy(new WebhookUnavailable('context deadline exceeded')), timeoutMs)
      const finish = (settle: () => void): void => {
        clearTimeout(timer)
        settle()
      }
      request.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer)
        // The other side may close an idle connection just when it is used again: that says nothing
        // about the webhook.
        if (request.reusedSocket && closedByPeer.has(error.code ?? '')) send(options, body, timeoutMs).then(resolve, reject)
        else reject(error)
      })
      request.end(body)
    })

  return {
    async post(webhook, review, timeoutSeconds) {
      const address = addressOf(webhook, resolveService)
      const body = Buffer.from(JSON.stringify(review))
      const options: RequestOptions = {
        method: 'POST',
        host: address.host,
        port: address.port,
        path: `${address.path}?timeout=${timeoutSeconds}s`,
        agent: agentFor(webhook.clientConfig.caBundle ?? '', address.serverName),
        headers: { 'content-type': 'application/json', accept: 'application/json', 'content-length': body.length, ...traceHeaders() },
      }
      const url = `${address.url}?timeout=${timeoutSeconds}s`
      try {
        const answer = await send(options, body, timeoutSeconds * 1000)
        if (answer.status !== 200)
          throw new WebhookUnavailable(`the server answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`)
        return parseExactJson(answer.body.toString())
      } catch (error) {
        throw new WebhookUnavailable(`Post "${url}": ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      }
    },
    [Symbol.dispose]: closeAll,
  }
}
