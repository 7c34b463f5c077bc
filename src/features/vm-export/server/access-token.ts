import { createHash, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tokenHeader } from '../export-task.ts'

/**
 * Reports whether a request has the token, in the header or as a parameter of the query. Compares
 * hashes in constant time. An empty token admits no one.
 */
export function hasToken(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { searchParams }: Pick<URL, 'searchParams'>,
  token: string,
): boolean {
  if (token === '') return false
  const sent = [headers[tokenHeader], searchParams.get(tokenHeader)]
  return sent.map((one) => typeof one === 'string' && timingSafeEqual(digest(one), digest(token))).includes(true)
}

/** Reads the token. At each request: its Secret may change. */
export function readToken(file: string): Promise<string> {
  return readFile(file, 'utf8')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
