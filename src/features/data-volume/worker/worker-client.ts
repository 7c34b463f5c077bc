import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ServingSource } from '#features/certificates/index.ts'
import type { ImportProgress, PeerAddress } from '#importer/index.ts'
import { names } from '../names.ts'
import { workerPort } from './worker-pod.ts'

/** A worker cannot be asked: it has no address yet, or we have no certificate. */
export class WorkerUnreachable extends Error {
  override readonly name = 'WorkerUnreachable'
}

/** Milliseconds for an answer about progress. */
const answerMs = 2_000
/** Bytes of an answer about progress. */
const answerBytes = 64 << 10

/** Asks a worker for its progress. */
export type AskProgress = (pod: Pod, signal: AbortSignal) => Promise<ImportProgress | undefined>

/** Tells a worker where its source is. A worker that does not answer is told again later. */
export type TellSource = (pod: Pod, source: PeerAddress) => Promise<void>

/**
 * Opens a request to a worker. It proves its identity by the authority that its pod names, and gets
 * our client certificate. @throws WorkerUnreachable
 */
export async function requestWorker(
  certificates: Pick<ServingSource, 'current'>,
  pod: Pod,
  options: Pick<RequestOptions, 'method' | 'path' | 'headers' | 'timeout' | 'signal'>,
): Promise<ClientRequest> {
  const host = pod.status?.podIP ?? ''
  const name = pod.metadata.name ?? ''
  const authority = pod.metadata.annotations?.[names.workerAuthority] ?? ''
  const identity = certificates.current()
  if (identity === undefined) throw new WorkerUnreachable('there is no client certificate yet')
  if (host === '' || authority === '') throw new WorkerUnreachable(`the pod "${name}" has no address or no certificate yet`)
  const { request } = await import('node:https')
  return request({
    ...options,
    host,
    port: workerPort,
    servername: name,
    ca: authority,
    cert: identity.certificate,
    key: identity.key,
    agent: false,
  })
}

/** Creates a function that asks workers. It returns undefined when a worker does not answer now. */
export function createProgressClient(certificates: Pick<ServingSource, 'current'>): AskProgress {
  return async (pod, signal) => {
    try {
      const request = await requestWorker(certificates, pod, {
        method: 'GET',
        path: '/progress',
        timeout: answerMs,
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      })
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request.once('response', resolve)
        request.once('error', reject)
        request.end()
      })
      return progressOf(JSON.parse(await textOf(response)))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Error) return undefined
      throw error
    }
  }
}

/** Creates a function that tells workers where their sources are. */
export function createSourceTeller(certificates: Pick<ServingSource, 'current'>): TellSource {
  return async (pod, source) => {
    try {
      const request = await requestWorker(certificates, pod, {
        method: 'POST',
        path: '/source',
        signal: AbortSignal.timeout(answerMs),
      })
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request.once('response', resolve)
        request.once('error', reject)
        request.end(JSON.stringify(source))
      })
      response.resume()
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > answerBytes) throw new WorkerUnreachable(`the worker answered with more than ${answerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A worker of another release may answer with more, and one that was replaced with anything. */
function progressOf(value: unknown): ImportProgress | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { stage, percent } = value as Partial<Record<keyof ImportProgress, unknown>>
  if (typeof stage !== 'string') return undefined
  return { stage, ...(typeof percent === 'number' && percent >= 0 && percent <= 100 ? { percent } : {}) }
}
