import { openAsBlob } from 'node:fs'
import { parseChallenge } from '#importer/registry/challenge.ts'
import { MEDIA, type Descriptor, type ImageIndex } from '../image/media-types.ts'
import { authorize } from './authorization.ts'
import type { FoundCredentials } from './credentials.ts'
import type { RegistryAddress } from './registry-address.ts'
import { answerError, connectionError, RegistryError } from './registry-error.ts'

/** The part of the OCI distribution API that pushes images. */
export interface RegistryClient {
  hasBlob(repository: string, digest: string): Promise<boolean>
  /** Asks the registry to take a blob from another of its repositories. False if it does not. */
  mountBlob(repository: string, digest: string, from: string): Promise<boolean>
  uploadBlob(repository: string, descriptor: Descriptor, file: string): Promise<void>
  /** Returns the digest of a manifest; undefined when there is none. */
  manifestDigest(repository: string, reference: string): Promise<string | undefined>
  /** Returns an index; undefined when there is none. */
  getIndex(repository: string, reference: string): Promise<ImageIndex | undefined>
  /**
   * Stores a manifest under a tag or its digest. Reports whether the registry lists it as a
   * referrer.
   */
  putManifest(
    repository: string,
    reference: string,
    manifest: { readonly mediaType: string; readonly content: Uint8Array },
  ): Promise<{ readonly isListed: boolean }>
}

/** Parameters of {@link createRegistryClient}. */
export interface RegistryClientOptions {
  readonly address: RegistryAddress
  readonly found: FoundCredentials
  readonly signal: AbortSignal
  /** Sees how many bytes of a blob are sent. */
  readonly onSent?: (sent: number, total: number) => void
  /** Default: Node's. */
  readonly fetch?: typeof fetch
}

interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** Completes "Cannot …" in errors. */
  readonly what: string
  readonly repository: string
  /** Repository that a blob is mounted from. */
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Blob
}

/** Creates a client of one registry. It asks for a token when the registry wants one. */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const { address, found, signal, onSent, fetch: send = fetch } = options
  const authorizations = new Map<string, string>()

  async function request(url: URL, call: Call): Promise<Response> {
    const scopes = [`repository:${call.repository}:pull,push`, ...(call.from === undefined ? [] : [`repository:${call.from}:pull`])]
    const key = scopes.join(' ')
    // A registry may send uploads to a server of another owner, which must not see the password.
    const isOwn = url.origin === address.origin
    const attempt = async (authorization: string | undefined): Promise<Response> => {
      const headers = { ...call.headers, ...(authorization === undefined || !isOwn ? {} : { authorization }) }
      try {
        return await send(url, { method: call.method, headers, signal, ...(call.body === undefined ? {} : { body: call.body }) })
      } catch (error) {
        if (signal.aborted) throw error
        throw connectionError(call.what, url.origin, error)
      }
    }
    const first = await attempt(authorizations.get(key))
    const challenge = first.status === 401 && isOwn ? parseChallenge(first.headers.get('www-authenticate')) : undefined
    if (challenge === undefined) return first
    const authorization = await authorize(challenge, { scopes, credentials: found.credentials, hint: found.hint, fetch: send, signal })
    if (authorization === undefined) return first
    await first.body?.cancel()
    authorizations.set(key, authorization)
    return attempt(authorization)
  }

  const at = (repository: string, path: string): URL => new URL(`/v2/${repository}/${path}`, address.origin)
  /** Returns the answer if it has one of the statuses. @throws RegistryError */
  async function expect(statuses: readonly number[], url: URL, call: Call): Promise<Response> {
    const response = await request(url, call)
    if (!statuses.includes(response.status)) throw await answerError(call.what, response, found.hint)
    return response
  }

  function upload(response: Response, url: URL, what: string): URL {
    const location = response.headers.get('location')
    if (location === null)
      throw new RegistryError(`Cannot ${what}: the registry names no place to upload to; check its address`, response.status)
    return new URL(location, url)
  }

  return {
    async hasBlob(repository, digest) {
      const what = `look for blob ${digest} in ${repository}`
      const response = await expect([200, 404], at(repository, `blobs/${digest}`), { method: 'HEAD', what, repository })
      return response.status === 200
    },
    async mountBlob(repository, digest, from) {
      const what = `take blob ${digest} from ${from} into ${repository}`
      const url = at(repository, 'blobs/uploads/')
      url.search = new URLSearchParams({ mount: digest, from }).toString()
      const response = await request(url, { method: 'POST', what, repository, from })
      await response.body?.cancel()
      // Any other answer means that the blob must be sent, and its upload reports what is wrong.
      return response.status === 201
    },
    async uploadBlob(repository, { digest, size }, file) {
      const what = `upload blob ${digest} to ${repository}`
      const start = at(repository, 'blobs/uploads/')
      const begun = await expect([202], start, { method: 'POST', what, repository })
      await begun.body?.cancel()
      const url = upload(begun, start, what)
      url.searchParams.set('digest', digest)
      // A Blob is read as it is sent, and has a size: registries want Content-Length.
      const blob = (await openAsBlob(file)).slice(0, size)
      const body = onSent === undefined ? blob : watched(blob, onSent)
      const headers = { 'content-type': 'application/octet-stream' }
      const done = await expect([201, 204], url, { method: 'PUT', what, repository, headers, body })
      await done.body?.cancel()
    },
    async manifestDigest(repository, reference) {
      const what = `look for ${repository}:${reference}`
      const headers = { accept: `${MEDIA.manifest}, ${MEDIA.index}` }
      const response = await expect([200, 404], at(repository, `manifests/${reference}`), { method: 'HEAD', what, repository, headers })
      return response.status === 200 ? (response.headers.get('docker-content-digest') ?? undefined) : undefined
    },
    async getIndex(repository, reference) {
      const what = `read the index ${repository}:${reference}`
      const headers = { accept: MEDIA.index }
      const response = await expect([200, 404], at(repository, `manifests/${reference}`), { method: 'GET', what, repository, headers })
      if (response.status === 200) return (await response.json()) as ImageIndex
      await response.body?.cancel()
      return undefined
    },
    async putManifest(repository, reference, { mediaType, content }) {
      const what = `store manifest ${reference} in ${repository}`
      const headers = { 'content-type': mediaType }
      const body = new Blob([Buffer.from(content)])
      const response = await expect([200, 201, 202], at(repository, `manifests/${reference}`), {
        method: 'PUT',
        what,
        repository,
        headers,
        body,
      })
      await response.body?.cancel()
      return { isListed: response.headers.has('oci-subject') }
    },
  }
}

/** Tells of the bytes of a blob as they are read for sending. */
function watched(blob: Blob, onRead: (read: number, total: number) => void): Blob {
  const open = blob.stream.bind(blob)
  return Object.defineProperty(blob, 'stream', {
    value() {
      let read = 0
      return open().pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            read += chunk.length
            onRead(read, blob.size)
            controller.enqueue(chunk)
          },
        }),
      )
    },
  })
}
