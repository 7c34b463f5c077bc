/** Credentials of a client. All optional: without any, requests are anonymous. */
export interface Credentials {
  readonly bearerToken?: string
  /** PEM client certificate, with its key. */
  readonly certificate?: string
  readonly key?: string
}

/**
 * Returns the credentials for the next request or connection. Called before each request: must be
 * cheap, so it caches. `refresh` discards the cache, because the server answered 401.
 */
export type CredentialSource = (options: { readonly refresh: boolean }) => Promise<Credentials>

/** A source of credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return () => Promise.resolve(credentials)
}
