import { ImportFailure } from '../failure.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { Secrets } from '../secrets.ts'
import { type Challenge, parseChallenge } from './challenge.ts'
import { readDocument } from './document.ts'

/** Keeps the authorization for one repository. */
export interface Authorization {
  /** Value of the header; undefined: without one. */
  readonly current: string | undefined
  /** Answers a challenge. False if there is nothing new to answer it with. */
  answer(header: string | undefined, signal: AbortSignal): Promise<boolean>
}

/**
 * Creates the authorization of a repository. Tokens are asked for without a password, too:
 * registries give them for public images. A token server gets the password, so that it must not be
 * asked without TLS by a registry with TLS.
 */
export function createAuthorization(
  client: HttpClient,
  origin: URL,
  repository: string,
  credentials: Secrets['credentials'],
): Authorization {
  const basic =
    credentials === undefined ? undefined : `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`
  let current: string | undefined

  async function token({ parameters }: Challenge, signal: AbortSignal): Promise<string> {
    const url = URL.parse(parameters['realm'] ?? '')
    if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && origin.protocol === 'http:')))
      throw new ImportFailure(
        'SourceRefused',
        `The registry "${origin.host}" names no server for tokens that can be asked: check its configuration`,
      )
    if (parameters['service'] !== undefined) url.searchParams.set('service', parameters['service'])
    url.searchParams.append('scope', `repository:${repository}:pull`)
    const answer = await client.send({ url, headers: basic === undefined ? {} : { authorization: basic } }, signal)
    const { token: one, access_token: other } = parse(await readDocument(answer.body, 'token'))
    const found = one ?? other
    if (typeof found !== 'string' || !/^[\x21-\x7E]+$/.test(found))
      throw new ImportFailure('SourceRefused', `The server "${url.host}" gives no token: check the Secret with the credentials`)
    return found
  }

  return {
    get current() {
      return current
    },
    async answer(header, signal) {
      const challenge = parseChallenge(header)
      if (challenge === undefined) return false
      const next = challenge.scheme === 'basic' ? basic : `Bearer ${await token(challenge, signal)}`
      if (next === undefined || next === current) return false
      current = next
      return true
    },
  }
}

function parse(bytes: Buffer): { readonly token?: unknown; readonly access_token?: unknown } {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
