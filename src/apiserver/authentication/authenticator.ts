import { createHash } from 'node:crypto'
import { unauthorized } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/endpoints/api-request.ts'
import { headerOf, type Peer, type RequestHeaders } from '#apiserver/front/exchange.ts'

/** A bearer token that never expires, and whom it stands for. */
export interface StaticToken {
  readonly token: string
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
}

/** What authentication looks at. */
export interface Credentials {
  readonly headers: RequestHeaders
  readonly peer: Peer
}

/** Finds out who asks. @throws StatusError 401 when a credential is shown that is not valid */
export type Authenticator = (credentials: Credentials) => UserInfo

/** Who comes without any credential. */
export const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes('system:authenticated') ? user : { ...user, groups: [...user.groups, 'system:authenticated'] }
}

// Looking up a digest takes the same time whatever part of a guess is right.
function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

/** Client certificates (CN is the user, O the groups), then static bearer tokens, then anonymous. */
export function createAuthenticator(tokens: readonly StaticToken[]): Authenticator {
  const byDigest = new Map<string, UserInfo>()
  for (const { token, ...user } of tokens) byDigest.set(digest(token), authenticated(user))
  const byPeer = new WeakMap<Peer, UserInfo>()

  return ({ headers, peer }) => {
    const { certificate } = peer
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
      const user = byDigest.get(digest(bearer))
      if (user === undefined) throw unauthorized()
      return user
    }
    // Somebody who shows a credential means to be somebody; treating them as nobody would hide the mistake.
    if (certificate !== undefined || headerOf(headers, 'authorization') !== undefined) throw unauthorized()
    return anonymous
  }
}
