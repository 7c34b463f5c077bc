import type { SigningKey, VerificationKey } from './signing-key.ts'

/** Longest token that is looked at: ours have about one thousand characters. */
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

/** Signs claims: RFC 7515's compact form. */
export function signToken(key: SigningKey, claims: object): string {
  const signed = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`
  return `${signed}.${key.sign(signed).toString('base64url')}`
}

/**
 * The claims of a token, or undefined unless one of the keys signed it. Which algorithm is right is
 * said by the key and never by the token: what chooses its own check can choose none.
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
  // Decoding overlooks much. There is one way only to write a token, so that nobody can make others
  // of it.
  if (bytes.toString('base64url') !== signature || !key.verify(`${head}.${body}`, bytes)) return undefined
  return decode(body)
}
