import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { MEDIA, type Descriptor, type ImageConfig, type ImageIndex, type ImageManifest } from './media-types.ts'

/** Annotations by which tools find an image in a layout: the OCI one, and containerd's. */
export const NAME_ANNOTATIONS = ['org.opencontainers.image.ref.name', 'io.containerd.image.name'] as const

/** A folder is no layout, or is damaged. The message names the remedy. */
export class LayoutUnusable extends Error {
  override readonly name = 'LayoutUnusable'
}

/** Marker file of a layout. */
export const LAYOUT_FILE = 'oci-layout'
/** Content of the marker file. */
export const LAYOUT = { imageLayoutVersion: '1.0.0' }

/** A layer as a blob, with the digest of its uncompressed archive. */
export interface StoredLayer {
  readonly descriptor: Descriptor
  readonly diffId: string
}

/** An OCI image layout that is being written. */
export interface LayoutWriter {
  readonly folder: string
  /** Stores bytes under their digest. */
  addBlob(mediaType: string, content: string | Uint8Array): Promise<Descriptor>
  /** Compresses and stores an archive as a layer. */
  addLayer(archive: Readable): Promise<StoredLayer>
  /** Writes `index.json`, last, which completes the layout. */
  finish(manifests: readonly Descriptor[]): Promise<void>
}

/** Parameters of {@link createLayout}. */
export interface LayoutOptions {
  readonly folder: string
  /** Level of gzip. */
  readonly compression: number
}

/** Creates a layout in a new folder. */
export async function createLayout({ folder, compression }: LayoutOptions): Promise<LayoutWriter> {
  const blobs = join(folder, 'blobs', 'sha256')
  await mkdir(blobs, { recursive: true })
  let partial = 0
  return {
    folder,
    async addBlob(mediaType, content) {
      const bytes = Buffer.from(content)
      const hex = createHash('sha256').update(bytes).digest('hex')
      await writeFile(join(blobs, hex), bytes)
      return { mediaType, digest: `sha256:${hex}`, size: bytes.length }
    },
    async addLayer(archive) {
      const file = join(blobs, `partial-${partial++}`)
      const [plain, compressed] = [createHash('sha256'), createHash('sha256')]
      // The header of Node's gzip has neither a time nor a name.
      const gzip = createGzip({ level: compression })
      const hashing = (hash: Hash) => (chunks: AsyncIterable<Buffer>) => hashed(chunks, hash)
      await pipeline(archive, hashing(plain), gzip, hashing(compressed), createWriteStream(file))
      const hex = compressed.digest('hex')
      const { size } = await stat(file)
      await rename(file, join(blobs, hex))
      return { descriptor: { mediaType: MEDIA.layer, digest: `sha256:${hex}`, size }, diffId: `sha256:${plain.digest('hex')}` }
    },
    async finish(manifests) {
      await writeFile(join(folder, LAYOUT_FILE), JSON.stringify(LAYOUT))
      const index: ImageIndex = { schemaVersion: 2, mediaType: MEDIA.index, manifests }
      await writeFile(join(folder, 'index.json'), `${JSON.stringify(index, null, 2)}\n`)
    },
  }
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** Reports whether a folder is a layout, so that a build may replace it. */
export async function isLayout(folder: string): Promise<boolean> {
  return stat(join(folder, LAYOUT_FILE)).then(
    () => true,
    () => false,
  )
}

/** An image of a layout, with the manifests that refer to it. */
export interface LayoutImage {
  /** `steadyvm.io/virt-api:v0.1.0`. */
  readonly reference: string
  readonly descriptor: Descriptor
  readonly manifest: ImageManifest
  readonly referrers: readonly { readonly descriptor: Descriptor; readonly manifest: ImageManifest }[]
}

/** Reads the named images of a layout, sorted by name. @throws LayoutUnusable */
export async function readLayout(folder: string): Promise<readonly LayoutImage[]> {
  const index = JSON.parse(await readText(folder, 'index.json')) as ImageIndex
  const found = await Promise.all(
    index.manifests.map(async (descriptor) => ({ descriptor, manifest: await readJson<ImageManifest>(folder, descriptor) })),
  )
  return found
    .flatMap(({ descriptor, manifest }) => {
      const reference = descriptor.annotations?.[NAME_ANNOTATIONS[1]] ?? descriptor.annotations?.[NAME_ANNOTATIONS[0]]
      if (reference === undefined || manifest.subject !== undefined) return []
      const referrers = found.filter((other) => other.manifest.subject?.digest === descriptor.digest)
      return [{ reference, descriptor, manifest, referrers }]
    })
    .toSorted((a, b) => (a.reference < b.reference ? -1 : 1))
}

/** Reads the configuration of an image. @throws LayoutUnusable */
export function readConfig(folder: string, { config }: ImageManifest): Promise<ImageConfig> {
  return readJson(folder, config)
}

/** Returns the path of a blob. */
export function blobPath(folder: string, digest: string): string {
  return join(folder, 'blobs', ...digest.split(':'))
}

/** Verifies a blob, before it goes to another place. @throws LayoutUnusable */
export async function verifyBlob(folder: string, { digest }: Descriptor): Promise<void> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(blobPath(folder, digest)), hash)
  } catch (cause) {
    throw new LayoutUnusable(`Cannot read blob ${digest} of "${folder}": ${buildAgain}`, { cause })
  }
  if (`sha256:${hash.digest('hex')}` !== digest) throw new LayoutUnusable(`Blob ${digest} of "${folder}" is damaged: ${buildAgain}`)
}

/** Puts a complete layout in the place of an older one. */
export async function replaceLayout(from: string, to: string): Promise<void> {
  const old = `${from}.old`
  if (await isLayout(to)) await rename(to, old)
  await rename(from, to)
  await rm(old, { recursive: true, force: true })
}

const buildAgain = 'build it again with "steadyvm image build"'

/** Digests become paths: nothing else than this may come from a file of the layout. */
const DIGEST = /^sha256:[a-f0-9]{64}$/

async function readJson<T>(folder: string, { digest }: Descriptor): Promise<T> {
  if (!DIGEST.test(digest)) throw new LayoutUnusable(`"${digest}" in "${folder}" is no SHA-256 digest: ${buildAgain}`)
  await verifyBlob(folder, { mediaType: '', digest, size: 0 })
  return JSON.parse(await readText(folder, join('blobs', ...digest.split(':')))) as T
}

async function readText(folder: string, file: string): Promise<string> {
  try {
    return await readFile(join(folder, file), 'utf8')
  } catch (cause) {
    throw new LayoutUnusable(`"${folder}" is no OCI image layout, it has no "${file}": ${buildAgain}`, { cause })
  }
}
