import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'

/** EC keys on P-256 use ES256, RSA keys RS256. */
type SigningAlgorithm = 'ES256' | 'RS256'

/** Public key in RFC 7517's form. */
export type JsonWebKey = Readonly<Record<string, unknown>>

/** Verifies signatures of one key. */
export interface VerificationKey {
  /** Digest of the public key (`kid`). */
  readonly id: string
  readonly algorithm: SigningAlgorithm
  readonly publicJwk: JsonWebKey
  verify(signed: string, signature: Buffer): boolean
}

/** Also signs. */
export interface SigningKey extends VerificationKey {
  sign(text: string): Buffer
}

// JWTs concatenate both numbers of an ECDSA signature, where OpenSSL uses DER.
const dsaEncoding = 'ieee-p1363'

function algorithmOf(key: KeyObject): SigningAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256'
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256'
  throw new TypeError(
    `Service account tokens need an RSA key or an EC key on P-256, not ${key.asymmetricKeyType ?? 'a secret'}: make another key`,
  )
}

/** Reads a private or public PEM key for verification. @throws TypeError for other kinds */
export function readVerificationKey(pem: string | KeyObject): VerificationKey {
  const publicKey = createPublicKey(pem as string)
  const algorithm = algorithmOf(publicKey)
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
  return {
    id,
    algorithm,
    publicJwk: { use: 'sig', kid: id, alg: algorithm, ...publicKey.export({ format: 'jwk' }) },
    verify: (signed, signature) => verify('sha256', Buffer.from(signed), { key: publicKey, dsaEncoding }, signature),
  }
}

/** Reads a private PEM key. @throws TypeError for other kinds */
export function readSigningKey(pem: string): SigningKey {
  const key = createPrivateKey(pem)
  return { ...readVerificationKey(pem), sign: (text) => sign('sha256', Buffer.from(text), { key, dsaEncoding }) }
}

/** Generates a private PEM key. */
export function generateSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}
