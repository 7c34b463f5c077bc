import type { Transport } from '../transport.ts'

/** Log of a container. */
export interface PodLog {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/** The server does not give a log (now). */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
}

/**
 * Reads the log of a container from its beginning, line by line, until the container ends. @throws
 * LogUnavailable, TransportError
 */
export async function* followPodLog(transport: Transport, log: PodLog, signal?: AbortSignal): AsyncIterable<string> {
  const { namespace, pod, container } = log
  const place = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`
  const path = `${place}?container=${encodeURIComponent(container)}&follow=true`
  const response = await transport.request({ method: 'GET', path, headers: {}, streaming: true, signal })
  if (response.status !== 200)
    throw new LogUnavailable(`No log of ${pod}/${container}: ${response.status} ${(await response.text()).slice(0, 200)}`)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
