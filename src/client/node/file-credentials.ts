import { readFile } from 'node:fs/promises'
import type { Credentials, CredentialSource } from './credentials.ts'

/** Sources of credentials: text, or paths of files that may be replaced at any time. */
export interface CredentialFiles {
  readonly token?: string | { readonly path: string }
  readonly certificate?: string | { readonly path: string }
  readonly key?: string | { readonly path: string }
}

/** Milliseconds for which files are not read again, as in client-go. */
const freshMs = 60_000

/**
 * Reads credentials from files, again every minute and whenever the server refuses them. A failed
 * read keeps the old ones.
 */
export function fileCredentials(files: CredentialFiles): CredentialSource {
  let cached: { readonly credentials: Credentials; readonly atMs: number } | undefined
  return async ({ refresh }) => {
    if (cached !== undefined && !refresh && performance.now() - cached.atMs < freshMs) return cached.credentials
    try {
      cached = { credentials: await readAll(files), atMs: performance.now() }
    } catch (error) {
      // Files are being replaced: the last valid credentials are the better choice.
      if (cached === undefined) throw error
    }
    return cached.credentials
  }
}

async function readAll(files: CredentialFiles): Promise<Credentials> {
  const texts = new Map<string, Promise<string>>()
  // Reads each file once: a replacement in between must not combine a certificate with the key of
  // another one.
  const read = (source: string | { readonly path: string } | undefined): Promise<string> | string | undefined =>
    typeof source === 'object' ? texts.getOrInsertComputed(source.path, (path) => readFile(path, 'utf8')) : source
  const [token, certificate, key] = await Promise.all([read(files.token), read(files.certificate), read(files.key)])
  return {
    ...(token === undefined ? {} : { bearerToken: token.trim() }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  }
}
