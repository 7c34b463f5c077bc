import { credentialIdExtra, nodeNameExtra } from '#api/access/component-users.ts'
import { unauthorized } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { headerOf, type Peer, type PeerCertificate, type RequestHeaders } from '#apiserver/http/exchange.ts'
import { authenticated, type TokenCheck } from './bearer-tokens.ts'
import { proxiedUser } from './front-proxy.ts'

/** Input of authentication. */
export interface Credentials {
  readonly headers: RequestHeaders
  readonly peer: Peer
}

/** Authenticates a request. @throws StatusError 401 for an invalid credential */
export type Authenticator = (credentials: Credentials) => UserInfo

/** User of a request without credentials. */
export const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Options of {@link createAuthenticator}. */
export interface AuthenticatorOptions {
  readonly checkToken: TokenCheck
  /** Allowed common names of front proxies. Empty: every certificate of their CA. */
  readonly proxyNames?: readonly string[]
}

/** An organization with this prefix names the node of a node agent. */
const nodePrefix = `${nodeNameExtra}=`

function userOf({ subject: { commonName, organizations }, sha256 }: PeerCertificate): UserInfo {
  const nodes = organizations.filter((name) => name.startsWith(nodePrefix)).map((name) => name.slice(nodePrefix.length))
  const groups = organizations.filter((name) => !name.startsWith(nodePrefix))
  const extra = {
    ...(sha256 === undefined ? {} : { [credentialIdExtra]: [`X509SHA256=${sha256}`] }),
    ...(nodes.length === 0 ? {} : { [nodeNameExtra]: nodes }),
  }
  return { username: commonName, groups, ...(Object.keys(extra).length === 0 ? {} : { extra }) }
}

/**
 * Authenticates by front proxy, client certificate (CN is the user, O the groups), bearer token, or
 * as anonymous.
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
        user = authenticated(userOf(certificate))
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
    // An invalid credential must not fall back to anonymous, which would hide the mistake.
    if (certificate !== undefined || headerOf(headers, 'authorization') !== undefined) throw unauthorized()
    return anonymous
  }
}
