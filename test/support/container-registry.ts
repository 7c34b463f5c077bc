import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { issueTestCertificates } from '#importer/certificates.fixture.ts'
import { cacheFolder } from './cache.ts'
import { findOnPath } from './kubectl.ts'

const program = findRegistry()

/** Why tests with a real registry are skipped, or false. */
export const noRegistry: string | false = program === undefined && 'there is no docker-registry: run "node tools/setup.mjs --test"'

/** User and password of a {@link ContainerRegistry}. */
export const registryLogin = { username: 'me', password: 'secret' } as const
/** The only form that the registry knows is bcrypt: this is `me:secret`. */
const htpasswd = 'me:$2b$04$pjTMAs3gQdQJzSA5GQmxtOlN0Jz3O/Ml8OyGnGChW5LzxkcqeFJTW\n'

/** Debian's registry, with TLS and a password. */
export interface ContainerRegistry extends AsyncDisposable {
  /** `127.0.0.1:40123`. */
  readonly host: string
  /** PEM. */
  readonly authority: string
  /**
   * Pushes an image of one gzip layer, and returns the digest of its manifest, or of its list of
   * architectures.
   */
  push(name: string, tag: string, image: PushedImage): Promise<string>
}

/** An image of one layer. */
export interface PushedImage {
  /** A tar archive, compressed by gzip. */
  readonly layer: Buffer
  readonly environment: readonly string[]
  /** Architectures that a list is made of; undefined for an image for amd64 without one. */
  readonly architectures?: readonly string[]
}

/** Starts a registry on a free port of an address of this machine. */
export async function startContainerRegistry(address: string = '127.0.0.1'): Promise<ContainerRegistry> {
  const { authority, server } = await issueTestCertificates(address)
  const folder = await mkdtemp(join(tmpdir(), 'registry-'))
  const files = { 'tls.crt': server.certificate, 'tls.key': server.key, htpasswd }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const configuration = {
    version: 0.1,
    log: { level: 'info', formatter: 'json' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: `${address}:0`, secret: 'test', tls: { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') } },
    auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } },
  }
  await writeFile(join(folder, 'config.yml'), JSON.stringify(configuration))
  const registry = spawn(program ?? '', ['serve', join(folder, 'config.yml')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  const port = await new Promise<number>((resolve, reject) => {
    registry.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const found = /listening on [0-9.]+:(\d+)/.exec(printed)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    registry.once('exit', () => reject(new assert.AssertionError({ message: `docker-registry ended: ${printed}` })))
  })
  const host = `${address}:${port}`
  const authorization = `Basic ${Buffer.from(`${registryLogin.username}:${registryLogin.password}`).toString('base64')}`

  function send(method: string, url: string, type: string, body: Buffer): Promise<{ readonly status: number; readonly location: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization, 'content-type': type, 'content-length': body.length }
      const question = request(new URL(url, `https://${host}`), { method, headers, ca: authority, agent: false }, (answer) => {
        answer.resume()
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '' }))
      })
      question.once('error', reject)
      question.end(body)
    })
  }

  async function pushBlob(name: string, mediaType: string, bytes: Buffer): Promise<object> {
    const digest = digestOf(bytes)
    const { location } = await send('POST', `/v2/${name}/blobs/uploads/`, '', Buffer.alloc(0))
    const url = new URL(location, `https://${host}`)
    url.searchParams.set('digest', digest)
    const { status } = await send('PUT', url.href, 'application/octet-stream', bytes)
    assert.equal(status, 201, printed)
    return { mediaType, digest, size: bytes.length }
  }

  async function pushManifest(
    name: string,
    tag: string | undefined,
    content: object,
  ): Promise<{ readonly mediaType: string; readonly digest: string; readonly size: number }> {
    const mediaType = `application/vnd.oci.image.${'manifests' in content ? 'index' : 'manifest'}.v1+json`
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...content }))
    const digest = digestOf(bytes)
    const { status } = await send('PUT', `/v2/${name}/manifests/${tag ?? digest}`, mediaType, bytes)
    assert.equal(status, 201, printed)
    return { mediaType, digest, size: bytes.length }
  }

  return {
    host,
    authority,
    async push(name, tag, { layer, environment, architectures }) {
      const layers = [await pushBlob(name, 'application/vnd.oci.image.layer.v1.tar+gzip', layer)]
      const manifests: object[] = []
      for (const architecture of architectures ?? ['amd64']) {
        const rootfs = { type: 'layers', diff_ids: [digestOf(gunzipSync(layer))] }
        const settings = { architecture, os: 'linux', config: { Env: environment }, rootfs }
        const config = await pushBlob(name, 'application/vnd.oci.image.config.v1+json', Buffer.from(JSON.stringify(settings)))
        const { digest, ...manifest } = await pushManifest(name, architectures === undefined ? tag : undefined, { config, layers })
        if (architectures === undefined) return digest
        manifests.push({ ...manifest, digest, platform: { architecture, os: 'linux' } })
      }
      return (await pushManifest(name, tag, { manifests })).digest
    },
    async [Symbol.asyncDispose]() {
      registry.kill('SIGKILL')
      if (registry.exitCode === null && registry.signalCode === null) await once(registry, 'close')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function findRegistry(): string | undefined {
  const cached = join(cacheFolder, 'docker-registry', 'usr', 'bin', 'docker-registry')
  return findOnPath('docker-registry') ?? (existsSync(cached) ? cached : undefined)
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
