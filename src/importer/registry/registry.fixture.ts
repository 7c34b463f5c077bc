import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type HeaderOfTar, packArchive } from '../archive/archive.fixture.ts'

/** One image of a test registry. */
export interface TestImage {
  /** Lowest first. */
  readonly layers: readonly (readonly HeaderOfTar[])[]
  readonly compression?: 'gzip' | 'zstd' | 'none'
  readonly architecture?: string
  readonly environment?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  /** Changes blobs behind the back of their digests. */
  readonly isDamaged?: boolean
}

/** Behaviour of a test registry. */
export interface TestRegistryOptions {
  readonly login?: { readonly username: string; readonly password: string; readonly scheme: 'basic' | 'bearer' }
  /** Blobs come from another server, as those of large registries. */
  readonly redirectsBlobs?: boolean
  /** Bytes after which each first answer for a blob breaks. */
  readonly dropAfter?: number
  readonly hasDigestHeader?: boolean
}

/** A registry in memory, from which images are pulled. */
export interface TestRegistry extends AsyncDisposable {
  /** `127.0.0.1:40123`. */
  readonly host: string
  readonly requests: string[]
  /** Headers of requests to the other server. */
  readonly elsewhere: IncomingMessage['headers'][]
  /** Stores an image, or a list of images, and returns its digest. */
  add(name: string, image: TestImage | readonly TestImage[]): Promise<string>
}

interface Blob {
  readonly type: string
  readonly bytes: Buffer
}

/** Starts a registry on a free port, by the OCI distribution specification. */
export async function startTestRegistry({
  login,
  redirectsBlobs = false,
  dropAfter,
  hasDigestHeader = true,
}: TestRegistryOptions = {}): Promise<TestRegistry> {
  const manifests = new Map<string, Blob>()
  const blobs = new Map<string, Buffer>()
  const requests: string[] = []
  const elsewhere: IncomingMessage['headers'][] = []
  const dropped = new Set<string>()
  let host = ''

  function isAllowed({ authorization = '' }: IncomingMessage['headers']): boolean {
    if (login === undefined) return true
    const basic = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
    return authorization === (login.scheme === 'basic' ? basic : 'Bearer token-of-test')
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', `http://${host}`)
    requests.push(`${request.method} ${url.pathname}`)
    if (url.pathname === '/token') return token(request, url, response)
    if (!isAllowed(request.headers)) {
      const challenge = login?.scheme === 'basic' ? 'Basic realm="test"' : `Bearer realm="http://${host}/token",service="test registry"`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    const [, name = '', kind, reference = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/([^/]+)$/.exec(url.pathname) ?? []
    if (url.pathname === '/v2/') return void response.writeHead(200).end('{}')
    if (kind === 'manifests') {
      const found = manifests.get(`${name}:${reference}`) ?? manifests.get(reference)
      if (found === undefined) return void response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
      response.writeHead(200, {
        'content-type': found.type,
        ...(hasDigestHeader ? { 'docker-content-digest': digestOf(found.bytes) } : {}),
      })
      return void response.end(request.method === 'HEAD' ? undefined : found.bytes)
    }
    if (redirectsBlobs) return void response.writeHead(307, { location: `http://${other}/${reference}?signature=abc` }).end()
    blob(reference, request, response)
  }

  function token(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const basic = `Basic ${Buffer.from(`${login?.username}:${login?.password}`).toString('base64')}`
    const isFine = request.headers.authorization === basic && url.searchParams.get('service') === 'test registry'
    const scope = url.searchParams.get('scope') ?? ''
    if (!isFine || !/^repository:.+:pull$/.test(scope)) return void response.writeHead(401).end()
    response.writeHead(200).end(JSON.stringify({ token: 'token-of-test' }))
  }

  function blob(digest: string, request: IncomingMessage, response: ServerResponse): void {
    const bytes = blobs.get(digest)
    if (bytes === undefined) return void response.writeHead(404).end()
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(start === 0 ? 200 : 206, {
      'content-length': bytes.length - start,
      etag: `"${digest}"`,
      ...(start === 0 ? {} : { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
    })
    if (dropAfter === undefined || dropped.has(digest) || bytes.length <= dropAfter) return void response.end(bytes.subarray(start))
    dropped.add(digest)
    response.write(bytes.subarray(start, start + dropAfter))
    setTimeout(() => response.destroy(), 20)
  }

  const server = createServer(serve)
  const blobServer = createServer((request, response) => {
    elsewhere.push(request.headers)
    blob((request.url ?? '').slice(1).split('?')[0] ?? '', request, response)
  })
  server.listen(0, '127.0.0.1')
  blobServer.listen(0, '127.0.0.1')
  await Promise.all([once(server, 'listening'), once(blobServer, 'listening')])
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const other = `127.0.0.1:${(blobServer.address() as AddressInfo).port}`

  function put(bytes: Buffer, mediaType: string, isDamaged = false): object {
    const digest = digestOf(bytes)
    const kept = Buffer.from(bytes)
    if (isDamaged) kept[kept.length - 1] = (kept.at(-1) ?? 0) ^ 1
    blobs.set(digest, kept)
    return { mediaType, digest, size: bytes.length }
  }

  async function addOne({
    layers,
    compression = 'gzip',
    architecture = 'amd64',
    environment = [],
    labels = {},
    isDamaged = false,
  }: TestImage): Promise<Blob> {
    const stored = await Promise.all(
      layers.map(async (entries) => {
        const tar = await packArchive(entries)
        const bytes = compression === 'gzip' ? gzipSync(tar) : compression === 'zstd' ? zstdCompressSync(tar) : tar
        return put(bytes, `application/vnd.oci.image.layer.v1.tar${compression === 'none' ? '' : `+${compression}`}`, isDamaged)
      }),
    )
    const config = put(
      Buffer.from(JSON.stringify({ architecture, os: 'linux', config: { Env: environment, Labels: labels } })),
      'application/vnd.oci.image.config.v1+json',
    )
    const type = 'application/vnd.oci.image.manifest.v1+json'
    return { type, bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, config, layers: stored })) }
  }

  return {
    get host() {
      return host
    },
    requests,
    elsewhere,
    async add(name, image) {
      let manifest: Blob
      if ('layers' in image) manifest = await addOne(image)
      else {
        const all = await Promise.all(image.map(async (each) => ({ ...each, manifest: await addOne(each) })))
        for (const each of all) manifests.set(digestOf(each.manifest.bytes), each.manifest)
        const type = 'application/vnd.oci.image.index.v1+json'
        const list = all.map((each) => ({
          mediaType: each.manifest.type,
          digest: digestOf(each.manifest.bytes),
          size: each.manifest.bytes.length,
          platform: { os: 'linux', architecture: each.architecture ?? 'amd64' },
        }))
        manifest = { type, bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, manifests: list })) }
      }
      manifests.set(name, manifest)
      manifests.set(digestOf(manifest.bytes), manifest)
      return digestOf(manifest.bytes)
    },
    async [Symbol.asyncDispose]() {
      for (const each of [server, blobServer]) {
        each.closeAllConnections()
        each.close()
        await once(each, 'close')
      }
    },
  }
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
