import type { IncomingMessage } from 'node:http'
import { requestEntityTooLarge } from '#apimachinery/errors.ts'

/** The body as text. @throws StatusError 413 when it is longer than the limit */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    // The rest is read and dropped, so that the client gets the answer and not a reset.
    if (size <= limitBytes) chunks.push(chunk)
  }
  if (size > limitBytes) throw requestEntityTooLarge(limitBytes)
  return Buffer.concat(chunks).toString('utf8')
}
