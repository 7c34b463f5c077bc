import { type Content, unverified } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import type { OpenDownload } from '../http/download.ts'
import type { HttpAnswer, HttpClient } from '../http/http-client.ts'
import { answerFailure } from '../http/http-failure.ts'
import { type Patience, watchedBody } from '../http/watched-body.ts'
import type { Secrets } from '../secrets.ts'
import type { Time } from '../time.ts'
import { createAuthorization } from './authorization.ts'
import { readDocument } from './document.ts'
import type { ImageReference } from './image-reference.ts'
import { algorithmOf, type Descriptor, digestLike, manifestTypes, type RawManifest } from './manifest.ts'

/** The manifests and blobs of one repository, wherever they are. Digests are checked by callers. */
export interface ImageReader {
  /** @throws ImportFailure */
  manifest(version: string, signal: AbortSignal): Promise<RawManifest>
  /** Digest of the manifest that a version is at the moment. */
  digest(version: string, signal: AbortSignal): Promise<string>
  /** Bytes of a blob. @throws ImportFailure */
  blob(descriptor: Descriptor, signal: AbortSignal): Promise<Content>
}

/** Parameters of {@link createRegistryReader}. */
export interface RegistryOptions {
  readonly client: HttpClient
  readonly download: OpenDownload
  readonly credentials: Secrets['credentials']
  /** Certificates are not checked, and a registry without TLS is asked, too. */
  readonly isInsecure: boolean
  readonly patience: Patience
  readonly time: Time
}

const accepted = [...manifestTypes.list, ...manifestTypes.image].join(', ')

/** Creates a reader of one repository of a registry, by the OCI distribution specification. */
export function createRegistryReader(reference: ImageReference, options: RegistryOptions): ImageReader {
  const { client, download, credentials, isInsecure, patience, time } = options
  let server: Promise<Server> | undefined

  interface Server {
    readonly origin: URL
    readonly authorization: ReturnType<typeof createAuthorization>
  }

  /** Finds out how the registry is spoken to, and answers its challenge. */
  async function connect(signal: AbortSignal): Promise<Server> {
    const secure = new URL(`https://${reference.host}`)
    try {
      return await greet(secure, signal)
    } catch (error) {
      // Only a server that does not speak TLS is asked without. One that cannot be reached is down.
      if (!isInsecure || !(error instanceof ImportFailure) || !/WRONG_VERSION_NUMBER|PACKET_LENGTH|EPROTO|ECONNRESET/.test(error.message))
        throw error
      return greet(new URL(`http://${reference.host}`), signal)
    }
  }

  async function greet(origin: URL, signal: AbortSignal): Promise<Server> {
    const authorization = createAuthorization(client, origin, reference.repository, credentials)
    const answer = await client.send({ url: new URL('/v2/', origin), accept: [200, 401, 403, 404] }, signal)
    answer.body.destroy()
    if (answer.status === 401) await authorization.answer(answer.headers['www-authenticate'], signal)
    return { origin, authorization }
  }

  function connected(signal: AbortSignal): Promise<Server> {
    server ??= connect(signal)
    server.catch(() => (server = undefined))
    return server
  }

  /** Sends a request, and once more with a new token if the registry wants one. */
  async function request(method: 'GET' | 'HEAD', path: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { origin, authorization } = await connected(signal)
    const url = new URL(`/v2/${reference.repository}/${path}`, origin)
    for (let tries = 1; ; tries++) {
      const headers = authorization.current === undefined ? {} : { authorization: authorization.current }
      const answer = await client.send({ url, method, headers, publicHeaders: { accept: accepted }, accept: [200, 401] }, signal)
      if (answer.status === 200) return answer
      if (tries > 1 || !(await authorization.answer(answer.headers['www-authenticate'], signal)))
        throw await answerFailure(url, answer.body)
      answer.body.destroy()
    }
  }

  const manifest: ImageReader['manifest'] = async (version, signal) => {
    const answer = await request('GET', `manifests/${version}`, signal)
    const bytes = await readDocument(watchedBody({ body: answer.body, sender: `"${reference.host}"` }, patience, time, signal), 'manifest')
    return { mediaType: answer.headers['content-type'] ?? '', bytes }
  }

  return {
    manifest,
    async digest(version, signal) {
      const answer = await request('HEAD', `manifests/${version}`, signal)
      answer.body.destroy()
      const digest = answer.headers['docker-content-digest']
      if (typeof digest === 'string') {
        algorithmOf(digest)
        return digest
      }
      return digestLike(`sha256:${'0'.repeat(64)}`, (await manifest(version, signal)).bytes)
    },
    async blob(descriptor, signal) {
      const { origin, authorization } = await connected(signal)
      const url = new URL(`/v2/${reference.repository}/blobs/${descriptor.digest}`, origin)
      const headers = async (stop: AbortSignal): Promise<Readonly<Record<string, string>>> => {
        // Tokens expire within minutes, and a download may take longer.
        await renew(origin, authorization, stop)
        return authorization.current === undefined ? {} : { authorization: authorization.current }
      }
      return { ...(await download({ url, headers }, undefined, signal)), verify: unverified }
    },
  }

  /** Asks for a new token if the registry does not take the one that there is. */
  async function renew(origin: URL, authorization: Server['authorization'], signal: AbortSignal): Promise<void> {
    const headers = authorization.current === undefined ? {} : { authorization: authorization.current }
    const answer = await client.send({ url: new URL('/v2/', origin), headers, accept: [200, 401, 403, 404] }, signal)
    answer.body.destroy()
    if (answer.status === 401) await authorization.answer(answer.headers['www-authenticate'], signal)
  }
}
