import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** What a token allows: the upload to one claim. */
export interface UploadTarget {
  readonly namespace: string
  readonly name: string
}

/** A token is refused. `isForged`: its signature is wrong, or its time is over. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  readonly isForged: boolean
  constructor(message: string, isForged: boolean) {
    super(message)
    this.isForged = isForged
  }
}

/** Signs tokens, and reads them. */
export interface UploadTokens {
  /** Returns a token, which holds for five minutes. */
  sign(target: UploadTarget): string
  /** @throws TokenRefused */
  read(token: string): UploadTarget
}

/** Claims of a token. CDI's names. */
interface Claims {
  readonly iss: string
  readonly iat: number
  readonly nbf: number
  readonly exp: number
  readonly operation: string
  readonly name: string
  readonly namespace: string
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
}

const issuer = 'cdi-apiserver'
const lifetimeSeconds = 5 * 60
/** Clocks of servers may differ. */
const leewaySeconds = 10
const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')

/**
 * Creates tokens that all servers of virt-api can read: their key is derived from the private key
 * of the serving certificate, which they share, and nothing else is kept. `keys`: PEM of that key
 * now, and of the one before, whose tokens still hold.
 */
export function createUploadTokens({ keys, now }: { readonly keys: () => readonly string[]; readonly now: () => number }): UploadTokens {
  return {
    sign({ namespace, name }) {
      const seconds = Math.floor(now() / 1000)
      const claims: Claims = {
        iss: issuer,
        iat: seconds,
        nbf: seconds,
        exp: seconds + lifetimeSeconds,
        operation: 'Upload',
        name,
        namespace,
        resource: { group: '', version: 'v1', resource: 'persistentvolumeclaims' },
      }
      const content = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
      return `${content}.${signatureOf(content, keys()[0] ?? '').toString('base64url')}`
    },
    read(token) {
      const parts = token.split('.')
      const [head = '', body = '', signature = ''] = parts
      const given = Buffer.from(signature, 'base64url')
      // The header is compared as a whole, so that no other algorithm is taken.
      const isOurs = parts.length === 3 && head === header && keys().some((key) => isSame(given, signatureOf(`${head}.${body}`, key)))
      if (!isOurs) throw new TokenRefused('The token was not made by this cluster', true)
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims
      const seconds = Math.floor(now() / 1000)
      if (claims.exp + leewaySeconds < seconds || claims.nbf - leewaySeconds > seconds)
        throw new TokenRefused('The token has expired: request another one', true)
      const { operation, name, namespace, resource } = claims
      if (
        claims.iss !== issuer ||
        operation !== 'Upload' ||
        name === '' ||
        namespace === '' ||
        resource.resource !== 'persistentvolumeclaims'
      )
        throw new TokenRefused('The token is not for an upload', false)
      return { namespace, name }
    },
  }
}

function signatureOf(content: string, key: string): Buffer {
  const secret = hkdfSync('sha256', key, '', 'steadyvm upload tokens', 32)
  return createHmac('sha256', Buffer.from(secret)).update(content).digest()
}

function isSame(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
