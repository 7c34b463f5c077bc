import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Behaviour of a {@link TestRegistry}. */
export interface TestRegistryOptions {
  /** User and password; absent: everybody may push. */
  readonly login?: { readonly username: string; readonly password: string; readonly scheme: 'basic' | 'bearer' }
  readonly hasReferrersApi?: boolean
  readonly canMount?: boolean
  /** Ends this many connections in the middle of an upload. */
  interruptedUploads?: number
}

/** A registry in memory, by the OCI distribution specification 1.1. */
export interface TestRegistry extends AsyncDisposable {
  /** `127.0.0.1:40123`. */
  readonly name: string
  /** `PUT /v2/virt-api/manifests/v1 201` */
  readonly requests: string[]
  /** By repository, then by digest. */
  readonly blobs: Map<string, Map<string, Buffer>>
  /** By repository, then by tag or digest. */
  readonly manifests: Map<string, Map<string, { readonly type: string; readonly content: Buffer }>>
}

type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: Buffer | object }

/** Starts a registry on a free port. */
export async function startTestRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const registry = new Registry(options)
  const server = createServer((request, response) => void registry.serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  registry.name = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(registry, { [Symbol.asyncDispose]: () => close(server) })
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

class Registry {
  name = ''
  readonly requests: string[] = []
  readonly blobs = new Map<string, Map<string, Buffer>>()
  readonly manifests: TestRegistry['manifests'] = new Map()
  readonly #options: TestRegistryOptions
  readonly #tokens = new Map<string, readonly string[]>()

  constructor(options: TestRegistryOptions) {
    this.#options = options
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${this.name}`)
    if (request.method === 'PUT' && url.pathname.includes('/uploads/') && (this.#options.interruptedUploads ?? 0) > 0) {
      this.#options.interruptedUploads = (this.#options.interruptedUploads ?? 0) - 1
      request.once('data', () => request.destroy())
      return
    }
    const body = await buffer(request)
    const { status, headers = {}, body: answer = {} } = this.#answer(request, url, body)
    this.requests.push(`${request.method} ${url.pathname}${url.search} ${status}`)
    response.writeHead(status, headers)
    response.end(request.method === 'HEAD' ? undefined : Buffer.isBuffer(answer) ? answer : JSON.stringify(answer))
  }

  #answer(request: IncomingMessage, url: URL, body: Buffer): Answer {
    if (url.pathname === '/token') return this.#token(request, url)
    const [, repository = '', kind, reference = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/(uploads\/.*|[^/]+)$/.exec(url.pathname) ?? []
    const from = url.searchParams.get('from')
    const denied = this.#denied(request, from === null ? [repository] : [repository, from])
    if (denied !== undefined) return denied
    if (kind === 'manifests') return this.#manifest(request, repository, reference, body)
    if (kind !== 'blobs') return failure(404, 'NAME_UNKNOWN')
    const blobs = this.blobs.getOrInsertComputed(repository, () => new Map<string, Buffer>())
    if (request.method === 'HEAD') return { status: blobs.has(reference) ? 200 : 404 }
    if (request.method === 'POST') return this.#startUpload(repository, url)
    return this.#endUpload(request, blobs, url, body)
  }

  #startUpload(repository: string, url: URL): Answer {
    const mounted = this.blobs.get(url.searchParams.get('from') ?? '')?.get(url.searchParams.get('mount') ?? '')
    if (mounted !== undefined && this.#options.canMount === true) {
      this.blobs.get(repository)?.set(url.searchParams.get('mount') ?? '', mounted)
      return { status: 201 }
    }
    // Relative, and with a query, as the specification allows.
    return { status: 202, headers: { location: `/v2/${repository}/blobs/uploads/1?state=x` } }
  }

  #endUpload(request: IncomingMessage, blobs: Map<string, Buffer>, url: URL, body: Buffer): Answer {
    const digest = url.searchParams.get('digest') ?? ''
    if (request.headers['content-length'] !== String(body.length) || url.searchParams.get('state') !== 'x')
      return failure(400, 'BLOB_UPLOAD_INVALID')
    if (digestOf(body) !== digest) return failure(400, 'DIGEST_INVALID')
    blobs.set(digest, body)
    return { status: 201 }
  }

  #manifest(request: IncomingMessage, repository: string, reference: string, body: Buffer): Answer {
    const manifests = this.manifests.getOrInsertComputed(repository, () => new Map<string, { type: string; content: Buffer }>())
    if (request.method !== 'PUT') {
      const found = manifests.get(reference)
      if (found === undefined || !(request.headers.accept ?? '').includes(found.type)) return failure(404, 'MANIFEST_UNKNOWN')
      return { status: 200, headers: { 'content-type': found.type, 'docker-content-digest': digestOf(found.content) }, body: found.content }
    }
    const manifest = JSON.parse(body.toString()) as {
      readonly config?: { readonly digest: string }
      readonly layers?: readonly { readonly digest: string }[]
      readonly subject?: { readonly digest: string }
    }
    const needed = [...(manifest.layers ?? []), ...(manifest.config === undefined ? [] : [manifest.config])]
    if (needed.some(({ digest }) => this.blobs.get(repository)?.has(digest) !== true)) return failure(404, 'MANIFEST_BLOB_UNKNOWN')
    const stored = { type: request.headers['content-type'] ?? '', content: body }
    manifests.set(reference, stored)
    manifests.set(digestOf(body), stored)
    const isListed = manifest.subject !== undefined && this.#options.hasReferrersApi === true
    return { status: 201, headers: isListed ? { 'oci-subject': manifest.subject?.digest ?? '' } : {} }
  }

  #denied(request: IncomingMessage, repositories: readonly string[]): Answer | undefined {
    const { login } = this.#options
    if (login === undefined) return undefined
    const { authorization = '' } = request.headers
    if (login.scheme === 'basic') {
      if (isLogin(authorization, login)) return undefined
      return { ...failure(401, 'UNAUTHORIZED'), headers: { 'www-authenticate': 'Basic realm="test"' } }
    }
    const allowed = this.#tokens.get(authorization.replace('Bearer ', '')) ?? []
    if (repositories.every((each) => allowed.includes(each))) return undefined
    const challenge = `Bearer realm="http://${this.name}/token",service="test registry"`
    return { ...failure(401, 'UNAUTHORIZED'), headers: { 'www-authenticate': challenge } }
  }

  #token(request: IncomingMessage, url: URL): Answer {
    const { login } = this.#options
    if (login === undefined || !isLogin(request.headers.authorization ?? '', login)) return failure(401, 'UNAUTHORIZED')
    if (url.searchParams.get('service') !== 'test registry') return failure(400, 'UNSUPPORTED')
    const token = `token-${this.#tokens.size}`
    this.#tokens.set(
      token,
      url.searchParams.getAll('scope').map((scope) => scope.split(':')[1] ?? ''),
    )
    return { status: 200, body: { token } }
  }
}

function isLogin(authorization: string, { username, password }: NonNullable<TestRegistryOptions['login']>): boolean {
  return authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function failure(status: number, code: string): Answer {
  return { status, body: { errors: [{ code, message: `this is ${code}` }] } }
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}
