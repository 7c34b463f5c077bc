import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ImportFailure } from './failure.ts'
import { createDownloads } from './http/download.ts'
import { createHttpClient, type HttpClient } from './http/http-client.ts'
import { parseAddress, requestHeaders } from './http/http-source.ts'
import { parseImageReference } from './registry/image-reference.ts'
import { createRegistryReader } from './registry/registry-reader.ts'
import { resolveDigest } from './registry/resolve-image.ts'
import { readSecrets, type Secrets } from './secrets.ts'
import type { DigestTask, HttpSource, ImportResult, RegistrySource } from './task/task.ts'
import type { WorkerPorts } from './worker.ts'

/** What a worker that asks for a digest depends on. */
export type DigestPorts = Pick<WorkerPorts, 'signal' | 'time' | 'patience' | 'tries' | 'secrets' | 'proxies' | 'progress'>

/** Asks which digest a source has at the moment, and reads nothing of it. @throws ImportFailure */
export async function runDigestTask({ source }: DigestTask, ports: DigestPorts): Promise<ImportResult> {
  const { patience, proxies, progress } = ports
  progress.stage('Connecting')
  const secrets = await readSecrets(ports.secrets)
  const { authorities } = secrets
  using client = createHttpClient({ authorities, insecureSkipVerify: source.insecureSkipVerify, idleMs: patience.idleMs, proxies })
  const digest =
    source.kind === 'http' ? await digestOfFile(source, secrets, client, ports) : await digestOfImage(source, secrets, client, ports)
  return { reason: 'Completed', message: `The source has the digest ${digest}`, fatal: false, digest }
}

function digestOfImage(
  { url, insecureSkipVerify: isInsecure, architecture }: RegistrySource,
  { credentials }: Secrets,
  client: HttpClient,
  { time, patience, tries, signal }: DigestPorts,
): Promise<string> {
  if (url.startsWith('oci-archive:'))
    throw new ImportFailure(
      'TaskInvalid',
      'The address of the source is a file of the worker: only images of registries have a digest to ask for',
    )
  const reference = parseImageReference(url)
  const download = createDownloads({ client, time, patience, tries })
  const reader = createRegistryReader(reference, { client, download, credentials, isInsecure, patience, time })
  return resolveDigest(reader, { ...reference, architecture }, signal)
}

/** A file has no digest before it is read: what its server tells of it takes the place of one. */
async function digestOfFile(source: HttpSource, secrets: Secrets, client: HttpClient, { signal }: DigestPorts): Promise<string> {
  const url = parseAddress(source.url)
  const { headers, body } = await client.send({ url, method: 'HEAD', headers: requestHeaders(source, secrets) }, signal)
  body.destroy()
  const version = versionOf(headers)
  if (version === undefined)
    throw new ImportFailure('SourceUnversioned', `"${url.host}" gives the file neither ETag nor time: a change of it cannot be noticed`)
  return `sha256:${createHash('sha256').update(`${url.href}\n${version}`).digest('hex')}`
}

/** What changes with the bytes of a file: its ETag, or else its time and length. Pure. */
export function versionOf({ etag, 'last-modified': modified, 'content-length': length }: IncomingHttpHeaders): string | undefined {
  if (etag !== undefined && etag !== '') return `etag ${etag}`
  return modified === undefined ? undefined : `modified ${modified} ${length ?? ''}`
}
