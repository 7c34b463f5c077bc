import type { UserInfo } from '#apiserver/endpoints/api-request.ts'
import { headerOf, type RequestHeaders } from '#apiserver/front/exchange.ts'
import { authenticated } from './bearer-tokens.ts'
import { extraOf, valuesOf } from './identity-headers.ts'

/**
 * Whom a trusted proxy speaks for: `X-Remote-User` and its companions. The caller has checked the proxy's certificate; from anybody else these headers
 * mean nothing. Undefined: it speaks for nobody.
 */
export function proxiedUser(headers: RequestHeaders): UserInfo | undefined {
  const username = headerOf(headers, 'x-remote-user')
  if (username === undefined || username === '') return undefined
  const uid = headerOf(headers, 'x-remote-uid')
  const extra = extraOf(headers, 'x-remote-extra-')
  return authenticated({
    username,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    groups: valuesOf(headers, 'x-remote-group'),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  })
}
