import { unauthorized } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { headerOf, type Peer, type RequestHeaders } from '#apiserver/http/exchange.ts'
import { authenticated, type TokenCheck } from './bearer-tokens.ts'
import { proxiedUser } from './front-proxy.ts'

/** What authentication looks at. */
export interface Credentials {
  readonly headers: RequestHeaders
  readonly peer: Peer
}

/** Finds out who asks. @throws StatusError 401 when a credential is shown that is not valid */
export type Authenticator = (credentials: Credentials) => UserInfo

/** Who comes without any credential. */
export const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** What {@link createAuthenticator} needs. */
export interface AuthenticatorOptions {
  readonly checkToken: TokenCheck
  /**
   * Common names of the proxies that may speak for others. Empty: every certificate of the proxies'
   * authority.
   */
  readonly proxyNames?: readonly string[]
}

/**
 * Front proxies, then client certificates (CN is the user, O the groups), then bearer tokens, then
 * anonymous.
 */
export function createAuthenticator({ checkToken, proxyNames = [] }: AuthenticatorOptions): Authenticator {
  const byPeer = new WeakMap<Peer, UserInfo>()

  return ({ headers, peer }) => {
    const { certificate } = peer
    if (certificate?.isProxy === true && (proxyNames.length === 0 || proxyNames.includes(certificate.subject.commonName))) {
      const user = proxiedUser(headers)
      if (user !== undefined) return user
    }
    if (certificate?.trusted === true && certificate.subject.commonName !== '') {
      let user = byPeer.get(peer)
      if (user === undefined) {
        user = authenticated({ username: certificate.subject.commonName, groups: certificate.subject.organizations })
        byPeer.set(peer, user)
      }
      return user
    }
    const bearer = /^bearer +(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1]
    if (bearer !== undefined) {
      const { user } = checkToken(bearer)
      if (user === undefined) throw unauthorized()
      return user
    }
    // Somebody who shows a credential means to be somebody; treating them as nobody would hide the
    // mistake.
    if (certificate !== undefined || headerOf(headers, 'authorization') !== undefined) throw unauthorized()
    return anonymous
  }
}
