import type { Challenge } from '#importer/registry/challenge.ts'
import type { Credentials } from './credentials.ts'
import { answerError, connectionError } from './registry-error.ts'

/** Parameters of {@link authorize}. */
export interface AuthorizeOptions {
  /** `repository:team/virt-api:pull,push`, one or more. */
  readonly scopes: readonly string[]
  readonly credentials: Credentials | undefined
  /** Remedy for a registry that wants credentials. */
  readonly hint: string | undefined
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

/**
 * Answers a challenge of a registry: returns the value of the `Authorization` header. Undefined
 * when it wants a password and there is none. A token is asked for without a password, too:
 * registries give it for public repositories. @throws RegistryError
 */
export async function authorize({ scheme, parameters }: Challenge, options: AuthorizeOptions): Promise<string | undefined> {
  const { scopes, credentials, hint, signal } = options
  const basic =
    credentials === undefined ? undefined : `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
  if (scheme === 'basic') return basic
  const realm = parameters['realm'] ?? ''
  const url = URL.parse(realm)
  if (url === null) return undefined
  if (parameters['service'] !== undefined) url.searchParams.set('service', parameters['service'])
  for (const scope of scopes) url.searchParams.append('scope', scope)
  const what = `get a token from ${url.origin}`
  let response: Response
  try {
    response = await options.fetch(url, { headers: basic === undefined ? {} : { authorization: basic }, signal })
  } catch (error) {
    throw connectionError(what, url.origin, error)
  }
  if (!response.ok) throw await answerError(what, response, hint)
  const { token, access_token: accessToken } = (await response.json()) as { token?: string; access_token?: string }
  return `Bearer ${token ?? accessToken ?? ''}`
}
