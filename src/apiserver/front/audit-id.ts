import { randomUUID } from 'node:crypto'
import { headerOf, type RequestHeaders } from './exchange.ts'

/** The name of a request in the audit log: the client's own one when it is a decent one. */
export function auditIdOf(headers: RequestHeaders): string {
  const sent = headerOf(headers, 'audit-id')
  return sent !== undefined && /^[\x21-\x7e]{1,64}$/.test(sent) ? sent : randomUUID()
}
