import { hash } from 'node:crypto'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { ServiceAccountTokens, TokenVerdict } from '#apiserver/service-accounts/service-account-tokens.ts'

/** A bearer token without expiry, and its user. */
export interface StaticToken {
  readonly token: string
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
}

/** Verifies a bearer token, by default for this server's audience. */
export type TokenCheck = (token: string, audiences?: readonly string[]) => TokenVerdict

const unknownToken: TokenVerdict = { problem: 'invalid bearer token' }

/** Adds the group system:authenticated. */
export function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes('system:authenticated') ? user : { ...user, groups: [...user.groups, 'system:authenticated'] }
}

// The lookup of a digest takes constant time for wrong guesses.
function digest(token: string): string {
  return hash('sha256', token, 'base64')
}

/** Checks static tokens, then service-account tokens. */
export function createTokenCheck(tokens: readonly StaticToken[], accountTokens: ServiceAccountTokens | undefined): TokenCheck {
  const byDigest = new Map<string, UserInfo>()
  for (const { token, ...user } of tokens) byDigest.set(digest(token), authenticated(user))
  const own = accountTokens?.audiences ?? []

  return (token, audiences) => {
    const user = byDigest.size === 0 ? undefined : byDigest.get(digest(token))
    if (user === undefined) return accountTokens?.check(token, audiences) ?? unknownToken
    // Static tokens have no audience and are valid for all of this server's.
    const good = audiences === undefined ? own : audiences.filter((audience) => own.includes(audience))
    return audiences !== undefined && good.length === 0 ? unknownToken : { user, audiences: good }
  }
}
