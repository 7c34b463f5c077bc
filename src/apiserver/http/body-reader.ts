import type { Readable } from 'node:stream'
import { badRequest, requestEntityTooLarge } from '#apimachinery/errors.ts'

/**
 * Reads a request's body, and stops when it exceeds the limit. @throws StatusError 413, or 400 when
 * the client disconnects
 */
export function readAll(source: Readable, contentLength: string | undefined, limitBytes: number): Promise<Buffer> {
  if (contentLength !== undefined && Number(contentLength) > limitBytes) return Promise.reject(requestEntityTooLarge(limitBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limitBytes) return void chunks.push(chunk)
      source.off('data', onData)
      chunks.length = 0
      reject(requestEntityTooLarge(limitBytes))
    }
    source.on('data', onData)
    let ended = false
    const brokenOff = (): void => {
      if (!ended) reject(badRequest('the client broke off its request'))
    }
    source.once('end', () => {
      ended = true
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    // 'close' follows every disconnect; listeners for 'error' and 'aborted' would cost every
    // request.
    source.once('close', brokenOff)
  })
}
