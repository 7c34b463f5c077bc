import type { IncomingMessage } from 'node:http'
import { requestEntityTooLarge } from '#apimachinery/errors.ts'

/** The body as text. @throws StatusError 413 when it is longer than the limit */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    // The rest is still read, so that the client sees the answer and not a reset; but not kept.
    if (size <= limitBytes) chunks.push(chunk)
  }
  if (size > limitBytes) throw requestEntityTooLarge(limitBytes)
  return Buffer.concat(chunks).toString('utf8')
}
