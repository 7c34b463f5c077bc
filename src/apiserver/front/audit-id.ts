import { randomUUID } from 'node:crypto'
import { headerOf, type RequestHeaders } from '../http/exchange.ts'

/** Random per process; a counter follows, which is as unique as a random UUID and cheaper. */
const prefix = randomUUID().slice(0, -12)
let count = 0

/** Returns the client's Audit-ID if it is valid, otherwise a new one. */
export function auditIdOf(headers: RequestHeaders): string {
  const sent = headerOf(headers, 'audit-id')
  if (sent !== undefined && /^[\x21-\x7e]{1,64}$/.test(sent)) return sent
  count += 1
  return prefix + count.toString(16).padStart(12, '0')
}
