import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestHeaders } from '#apiserver/http/exchange.ts'
import { authenticated } from './bearer-tokens.ts'
import { extraOf, valueOf, valuesOf } from './identity-headers.ts'

/**
 * Returns the user in `X-Remote-User` etc.; undefined without one. The caller must have verified
 * the proxy's certificate.
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
