import { randomUUID } from 'node:crypto'
import { headerOf, type RequestHeaders } from '../http/exchange.ts'

/**
 * Of each process its own. Behind it requests are counted: that tells them apart as well as chance
 * would, for much less.
 */
const prefix = randomUUID().slice(0, -12)
let count = 0

/** The name of a request in the audit log: the client's own one when it is a decent one. */
export function auditIdOf(headers: RequestHeaders): string {
  const sent = headerOf(headers, 'audit-id')
  if (sent !== undefined && /^[\x21-\x7e]{1,64}$/.test(sent)) return sent
  count += 1
  return prefix + count.toString(16).padStart(12, '0')
}
