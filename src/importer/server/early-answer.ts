import type { IncomingMessage, ServerResponse } from 'node:http'

/** Bytes that are still read after an answer. */
const drainedBytes = 16 * 1024 * 1024
const drainMs = 5_000

/** Answers a request whose body may not have been read. */
export function answerEarly(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text)
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length })
  response.write(body)
  endAfterBody(request, response)
}

/**
 * Ends an answer when the body of its request has been read, and the connection of a client that
 * does not stop sending. Node ends connections that are not kept together with the answer: a client
 * that is still sending would lose the answer with it.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return void response.end()
  let drained = 0
  const end = (): void => void request.destroy()
  const timer = setTimeout(end, drainMs).unref()
  request.once('end', () => response.end())
  request.once('close', () => clearTimeout(timer))
  request.on('error', () => {})
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > drainedBytes) end()
  })
  request.resume()
}
