import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { unverified } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { largestDocument, manifestTypes, parseManifest, type RawManifest } from './manifest.ts'
import type { ImageReader } from './registry-reader.ts'
import { tarIndex } from './tar-index.ts'

/** The file of an `oci-archive:///path:tag`; the tag is optional. @throws ImportFailure */
export function parseArchiveAddress(url: string): { readonly path: string; readonly version: string } {
  const [, path, tag] = /^oci-archive:(?:\/\/)?(\/[^/:\0][^:\0]*)(?::([\w.-]+))?$/.exec(url) ?? []
  if (path === undefined) throw new ImportFailure('TaskInvalid', 'The address of the archive is not of the form oci-archive:///path:tag')
  return { path, version: tag ?? '' }
}

/** Creates a reader of an OCI image layout in a tar archive. @throws ImportFailure */
export async function createArchiveReader(path: string): Promise<ImageReader> {
  if ((await lstat(path).catch(() => undefined))?.isFile() !== true)
    throw new ImportFailure('SourceNotFound', `There is no file "${path}": mount the archive there`)
  const files = await tarIndex(createReadStream(path, { highWaterMark: 1 << 20 }))

  /** @throws ImportFailure */
  function place(name: string): { readonly offset: number; readonly bytes: number } {
    const found = files.get(name)
    if (found === undefined)
      throw new ImportFailure('ImageInvalid', `The archive has no "${name}": is it an OCI archive? Save the image again`)
    return found
  }

  function read(name: string): AsyncIterable<Buffer> {
    const { offset, bytes } = place(name)
    return bytes === 0 ? nothing() : createReadStream(path, { start: offset, end: offset + bytes - 1, highWaterMark: 1 << 20 })
  }

  async function document(name: string): Promise<Buffer> {
    const { bytes } = place(name)
    if (bytes > largestDocument)
      throw new ImportFailure('ImageInvalid', `"${name}" of the archive has ${bytes} bytes: save the image again`)
    return Buffer.concat(await Array.fromAsync(read(name)))
  }

  /** An archive names its images by an annotation of its index. */
  async function manifest(version: string): Promise<RawManifest> {
    if (/^sha(256|512):/.test(version)) return { mediaType: '', bytes: await document(blobName(version)) }
    const bytes = await document('index.json')
    const index = parseManifest({ mediaType: manifestTypes.list[0], bytes })
    if ('layers' in index) return { mediaType: '', bytes }
    const named = tagsOf(bytes)
    const at = version === '' ? 0 : named.findIndex((tag) => tag === version || tag.endsWith(`:${version}`))
    const found = index.manifests[at]
    if (found === undefined || (version === '' && index.manifests.length > 1))
      throw new ImportFailure(
        'ImageInvalid',
        `The archive has ${index.manifests.length} images, and none that is meant: name one of ${named.join(', ').slice(0, 200)}`,
      )
    return { mediaType: found.mediaType, bytes: await document(blobName(found.digest)) }
  }

  return {
    manifest,
    digest: async (version) => {
      if (/^sha(256|512):/.test(version)) return version
      const { createHash } = await import('node:crypto')
      return `sha256:${createHash('sha256')
        .update((await manifest(version)).bytes)
        .digest('hex')}`
    },
    blob: ({ digest, size }) =>
      Promise.resolve({ start: 0, total: size, validator: undefined, chunks: read(blobName(digest)), verify: unverified }),
  }
}

function blobName(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`
}

async function* nothing(): AsyncGenerator<Buffer> {}

interface Index {
  readonly manifests?: readonly { readonly annotations?: Readonly<Record<string, string>> }[]
}

function tagsOf(bytes: Buffer): string[] {
  const { manifests = [] } = JSON.parse(bytes.toString('utf8')) as Index
  return manifests.map(
    ({ annotations = {} }) => annotations['org.opencontainers.image.ref.name'] ?? annotations['io.containerd.image.name'] ?? '',
  )
}
