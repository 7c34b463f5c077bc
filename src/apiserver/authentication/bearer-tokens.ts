import { hash } from 'node:crypto'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { ServiceAccountTokens, TokenVerdict } from '#apiserver/service-accounts/service-account-tokens.ts'

/** A bearer token that never expires, and whom it stands for. */
export interface StaticToken {
  readonly token: string
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
}

/** Says whom a bearer token stands for. Without `audiences`, whether it is good for this server. */
export type TokenCheck = (token: string, audiences?: readonly string[]) => TokenVerdict

const unknownToken: TokenVerdict = { problem: 'invalid bearer token' }

/** The user as a member of all who are known. */
export function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes('system:authenticated') ? user : { ...user, groups: [...user.groups, 'system:authenticated'] }
}

// Looking up a digest takes the same time whatever part of a guess is right.
function digest(token: string): string {
  return hash('sha256', token, 'base64')
}

/** Checks static tokens, then those of service accounts. */
export function createTokenCheck(tokens: readonly StaticToken[], accountTokens: ServiceAccountTokens | undefined): TokenCheck {
  const byDigest = new Map<string, UserInfo>()
  for (const { token, ...user } of tokens) byDigest.set(digest(token), authenticated(user))
  const own = accountTokens?.audiences ?? []

  return (token, audiences) => {
    const user = byDigest.size === 0 ? undefined : byDigest.get(digest(token))
    if (user === undefined) return accountTokens?.check(token, audiences) ?? unknownToken
    // A static token says nothing of audiences: it is good for this server, under every name that
    // it has.
    const good = audiences === undefined ? own : audiences.filter((audience) => own.includes(audience))
    return audiences !== undefined && good.length === 0 ? unknownToken : { user, audiences: good }
  }
}
