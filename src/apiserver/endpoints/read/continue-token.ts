import { badRequest } from '#apimachinery/errors.ts'

/** Position of the next page of a list. */
export interface ContinueToken {
  /** Revision that all pages show; -1 is the newest. */
  readonly revision: number
  /** Key of the last object of the previous page. */
  readonly namespace: string
  readonly name: string
  /**
   * Time at which the first page was read, in milliseconds since the epoch. Undefined: the token
   * does not expire by age.
   */
  readonly at?: number
}

const version = 'meta.k8s.io/v1'

/**
 * Encodes a token as Kubernetes does: base64url of JSON with the key of the first object that may
 * follow.
 */
export function encodeContinue(token: ContinueToken): string {
  const key = token.namespace === '' ? token.name : `${token.namespace}/${token.name}`
  const at = token.at === undefined ? {} : { at: token.at }
  return Buffer.from(JSON.stringify({ v: version, rv: token.revision, start: `${key}\0`, ...at })).toString('base64url')
}

/** Decodes a token of {@link encodeContinue}. @throws StatusError 400 for anything else */
export function decodeContinue(text: string): ContinueToken {
  const value = parse(text)
  if (value.v !== version) throw badRequest('continue key is not valid: server does not recognize this encoded version')
  const { rv, start, at } = value
  if (!Number.isSafeInteger(rv) || rv === 0 || typeof start !== 'string' || start === '') throw badRequest('continue key is not valid')
  const key = start.endsWith('\0') ? start.slice(0, -1) : start
  const slash = key.indexOf('/')
  const namespace = slash < 0 ? '' : key.slice(0, slash)
  const name = key.slice(slash + 1)
  if (namespace === '..' || name === '..' || name.includes('/')) throw badRequest('continue key is not valid')
  return { revision: rv as number, namespace, name, ...(typeof at === 'number' ? { at } : {}) }
}

function parse(text: string): { v?: unknown; rv?: unknown; start?: unknown; at?: unknown } {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Not JSON. Answered like JSON that is not an object.
  }
  throw badRequest('continue key is not valid')
}
