import { hash } from 'node:crypto'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { areAccountClaims, type Claims, accountUsername, type TokenSubject, userOfClaims } from './claims.ts'
import { signToken, verifiedClaims } from './json-web-token.ts'
import { missingBoundObject } from './bound-object.ts'
import { type JsonWebKey, readSigningKey, readVerificationKey } from './signing-key.ts'

/** Options of {@link createServiceAccountTokens}. */
export interface ServiceAccountTokensOptions {
  /** PEM of the signing key. */
  readonly signingKey: string
  /** PEM of previous keys, whose tokens stay valid until they expire. Default none. */
  readonly olderKeys?: readonly string[]
  /** Default `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer?: string
  /** Audiences of this server. Default: the issuer. */
  readonly audiences?: readonly string[]
  readonly store: Pick<ObjectStore, 'get'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly randomUuid: () => string
}

/** User and valid audiences of a token, or why it is invalid. */
export type TokenVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[]; readonly problem?: undefined }
  | { readonly user?: undefined; readonly problem: string }

/** Issues and verifies service-account tokens. Bound objects are looked up at each verification. */
export interface ServiceAccountTokens {
  readonly issuer: string
  /** Default audiences of issued tokens. */
  readonly audiences: readonly string[]
  /** Public keys for `/openid/v1/jwks`. */
  readonly publicKeys: readonly JsonWebKey[]
  /** Signs a token. */
  issue(subject: TokenSubject, audiences: readonly string[], seconds: number): string
  /** Verifies a token, by default for this server. Undefined: of another issuer. */
  check(token: string, audiences?: readonly string[]): TokenVerdict | undefined
}

/** Number of cached signatures. The oldest is dropped. */
const rememberedTokens = 4096
/** Tolerated clock skew in seconds. */
const clockSkew = 60

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local'

interface Verified {
  readonly claims: Claims
  readonly user: UserInfo
}

/** Creates the tokens of one issuer. @throws TypeError for an unsupported key */
export function createServiceAccountTokens(options: ServiceAccountTokensOptions): ServiceAccountTokens {
  const { store, now, issuer = defaultIssuer } = options
  const audiences = options.audiences ?? [issuer]
  const signing = readSigningKey(options.signingKey)
  const keys = new Map([signing, ...(options.olderKeys ?? []).map(readVerificationKey)].map((key) => [key.id, key]))
  const remembered = new Map<string, Verified>()

  const verify = (token: string): Verified | undefined => {
    // Keyed by digest, so that no token stays in memory.
    const digest = hash('sha256', token, 'base64')
    const known = remembered.get(digest)
    if (known !== undefined) return known
    const claims = verifiedClaims(keys, token)
    if (claims === undefined || claims['iss'] !== issuer || !areAccountClaims(claims)) return undefined
    const verified = { claims: claims as unknown as Claims, user: userOfClaims(claims as unknown as Claims) }
    const [oldest] = remembered.keys()
    if (remembered.size >= rememberedTokens && oldest !== undefined) remembered.delete(oldest)
    remembered.set(digest, verified)
    return verified
  }

  return {
    issuer,
    audiences,
    publicKeys: [...keys.values()].map((key) => key.publicJwk),
    issue(subject, wanted, seconds) {
      const issued = Math.floor(now() / 1000)
      const claims: Claims = {
        aud: wanted,
        exp: issued + seconds,
        iat: issued,
        iss: issuer,
        jti: options.randomUuid(),
        'kubernetes.io': subject,
        nbf: issued,
        sub: accountUsername(subject.namespace, subject.serviceaccount.name),
      }
      return signToken(signing, claims)
    },
    check(token, wanted = audiences) {
      const verified = verify(token)
      if (verified === undefined) return undefined
      const { claims, user } = verified
      const nowMs = now()
      if (nowMs >= claims.exp * 1000) return { problem: 'service account token has expired' }
      if (nowMs < (claims.nbf - clockSkew) * 1000) return { problem: 'service account token is not valid yet' }
      const good = wanted.filter((audience) => claims.aud.includes(audience))
      if (good.length === 0) {
        return { problem: `token audiences ${JSON.stringify(claims.aud)} is invalid for the target audiences ${JSON.stringify(wanted)}` }
      }
      const problem = missingBoundObject(store, claims['kubernetes.io'], nowMs)
      return problem === undefined ? { user, audiences: good } : { problem }
    },
  }
}
