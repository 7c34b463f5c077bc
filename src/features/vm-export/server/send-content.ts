import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { readRange } from './byte-range.ts'
import { chunksOf } from './chunks.ts'
import type { OpenContent } from './disk.ts'

/**
 * Sends a content, or the range that the client asks for. Rejects when the client leaves, or when
 * the content is cut: the connection is then closed early, by which clients notice.
 */
export async function sendContent(request: IncomingMessage, response: ServerResponse, { file, bytes, etag }: OpenContent): Promise<number> {
  const { range, 'if-range': ifRange } = request.headers
  // The range of another content would be a part of neither.
  const asked = ifRange === undefined || ifRange === etag ? readRange(range, bytes) : undefined
  response.setHeader('accept-ranges', 'bytes')
  response.setHeader('content-type', 'application/octet-stream')
  if (etag !== undefined) response.setHeader('etag', etag)
  if (asked === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${bytes}` }).end()
    return 0
  }
  const { first, last } = asked ?? { first: 0, last: bytes - 1 }
  const length = last - first + 1
  response.writeHead(asked === undefined ? 200 : 206, {
    'content-length': length,
    ...(asked === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${bytes}` }),
  })
  if (request.method === 'HEAD' || length === 0) {
    response.end()
    return 0
  }
  await pipeline(chunksOf(file, { first, last }), response)
  return length
}
