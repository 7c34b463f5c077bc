import type { ContentSource } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { parseHeaders, type Secrets } from '../secrets.ts'
import type { HttpSource } from '../task/task.ts'
import type { OpenDownload } from './download.ts'

/** Creates the source of a file of a web server. @throws ImportFailure */
export function createHttpSource(source: HttpSource, secrets: Secrets, download: OpenDownload): ContentSource {
  const url = parseAddress(source.url)
  const own = requestHeaders(source, secrets)
  return { open: (from, signal) => download({ url, headers: () => Promise.resolve(own) }, from, signal) }
}

/** Headers for the server of a file, with those that are secret. @throws ImportFailure */
export function requestHeaders({ headers }: HttpSource, secrets: Secrets): Readonly<Record<string, string>> {
  return { ...parseHeaders([...headers, ...secrets.headers]), ...basic(secrets) }
}

/** @throws ImportFailure */
export function parseAddress(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new ImportFailure('TaskInvalid', 'The address of the source is not one of http or https')
  if (url.username !== '' || url.password !== '')
    throw new ImportFailure('TaskInvalid', 'The address of the source has a password in it: use a Secret and secretRef')
  return url
}

function basic({ credentials }: Secrets): Readonly<Record<string, string>> {
  if (credentials === undefined) return {}
  return { authorization: `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}` }
}
