import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestHeaders } from '#apiserver/http/exchange.ts'
import { authenticated } from './bearer-tokens.ts'
import { extraOf, valueOf, valuesOf } from './identity-headers.ts'

/**
 * Whom a trusted proxy speaks for: `X-Remote-User` and its companions. The caller has checked the
 * proxy's certificate; from anybody else these headers mean nothing. Undefined: it speaks for
 * nobody.
 */
export function proxiedUser(headers: RequestHeaders): UserInfo | undefined {
  const username = valueOf(headers, 'x-remote-user')
  if (username === undefined) return undefined
  const uid = valueOf(headers, 'x-remote-uid')
  const extra = extraOf(headers, 'x-remote-extra-')
  return authenticated({
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: valuesOf(headers, 'x-remote-group'),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  })
}
