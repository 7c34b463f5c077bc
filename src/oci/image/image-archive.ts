import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { blobPath, LAYOUT, LAYOUT_FILE } from './image-layout.ts'
import type { LayerEntry } from './layer-entry.ts'
import { MEDIA, type Descriptor, type ImageIndex, type ImageManifest } from './media-types.ts'
import { packTar } from './tar-archive.ts'

/** An image of an archive. */
export interface ArchivedImage {
  readonly reference: string
  readonly descriptor: Descriptor
  readonly manifest: ImageManifest
}

/**
 * Writes images of a layout as one archive, in which shared layers are once. It holds an OCI layout
 * for `ctr images import` and podman, and `manifest.json` for `docker load`. It has no
 * attestations: nodes do not read them.
 */
export async function writeArchive(
  folder: string,
  images: readonly ArchivedImage[],
  { file, mtime }: { file: string; mtime: Date },
): Promise<void> {
  const index: ImageIndex = { schemaVersion: 2, mediaType: MEDIA.index, manifests: images.map(({ descriptor }) => descriptor) }
  const docker = images.map(({ reference, manifest }) => ({
    Config: inArchive(manifest.config.digest),
    RepoTags: [reference],
    Layers: manifest.layers.map(({ digest }) => inArchive(digest)),
  }))
  const digests = new Set(
    images.flatMap(({ descriptor, manifest }) => [descriptor, manifest.config, ...manifest.layers].map(({ digest }) => digest)),
  )
  const json = (path: string, value: unknown): LayerEntry => ({
    kind: 'file',
    path,
    mode: 0o644,
    content: Buffer.from(JSON.stringify(value)),
  })
  const entries: LayerEntry[] = [
    json(LAYOUT_FILE, LAYOUT),
    json('index.json', index),
    json('manifest.json', docker),
    ...[...digests].map((digest): LayerEntry => ({ kind: 'copy', path: inArchive(digest), mode: 0o644, from: blobPath(folder, digest) })),
  ]
  await pipeline(await packTar(entries, mtime), createWriteStream(`${file}.partial`))
  await rename(`${file}.partial`, file)
}

function inArchive(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`
}
