import type { SigningKey, VerificationKey } from './signing-key.ts'

/** Longest accepted token; issued ones have about a thousand characters. */
const maxTokenLength = 16_384

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Signs claims in RFC 7515's compact form. */
export function signToken(key: SigningKey, claims: object): string {
  const signed = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`
  return `${signed}.${key.sign(signed).toString('base64url')}`
}

/**
 * Returns the claims of a token signed by one of the keys, else undefined. The key determines the
 * algorithm: an attacker could choose one in the token.
 */
export function verifiedClaims(keys: ReadonlyMap<string, VerificationKey>, token: string): Readonly<Record<string, unknown>> | undefined {
  if (token.length > maxTokenLength) return undefined
  const parts = token.split('.')
  const [head = '', body = '', signature = ''] = parts
  if (parts.length !== 3) return undefined
  const header = decode(head)
  const key = keys.get(typeof header?.['kid'] === 'string' ? header['kid'] : '')
  if (key === undefined || header?.['alg'] !== key.algorithm || 'crit' in header) return undefined
  const bytes = Buffer.from(signature, 'base64url')
  // Base64 decoding is lenient; only the canonical form is accepted, so that a token has one
  // spelling.
  if (bytes.toString('base64url') !== signature || !key.verify(`${head}.${body}`, bytes)) return undefined
  return decode(body)
}
