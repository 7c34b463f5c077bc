import { type TarEntry, tarEntries } from '../archive/tar-entries.ts'
import type { ProgramContext } from '../disk/program.ts'
import { ImportFailure } from '../failure.ts'
import { decompressed } from '../format/decompress.ts'
import { detect, headBytes } from '../format/detect.ts'
import { withHead } from '../format/head.ts'
import type { Descriptor } from './manifest.ts'
import type { ImageReader } from './registry-reader.ts'
import { verified } from './verified-blob.ts'

/** A layer that is being read. */
export interface OpenLayer {
  /**
   * The entries. When their end is reached without an error, the layer is that of the digest; what
   * was made of them must not be used before.
   */
  readonly entries: AsyncGenerator<TarEntry>
}

/** What reading a layer needs. */
export interface LayerContext extends ProgramContext {
  /** The most bytes that a layer may have when it is unpacked. */
  readonly layerBytes: number
}

/** Room of a layer for what is in it beside the files that are wanted. */
export const besideBytes: number = 4 * 1024 ** 3

/** Opens a layer: gzip, zstd or not compressed, by what it is. @throws ImportFailure */
export async function openLayer(reader: ImageReader, layer: Descriptor, context: LayerContext): Promise<OpenLayer> {
  const content = await reader.blob(layer, context.signal)
  let isVerified = false
  async function* bytes(): AsyncGenerator<Buffer> {
    yield* verified(layer, content)
    isVerified = true
  }
  async function* entries(): AsyncGenerator<TarEntry> {
    const blob = await withHead(bytes(), headBytes)
    const found = detect(blob.head)
    try {
      yield* tarEntries(
        found.kind === 'compressed' ? decompressed(found.compression, blob.chunks, context) : blob.chunks,
        context.layerBytes,
      )
      if (!isVerified)
        throw new ImportFailure('ImageInvalid', `The layer ${layer.digest} has bytes behind its end: build and push the image again`)
    } finally {
      await blob.close()
    }
  }
  return { entries: entries() }
}

const whiteout = '.wh.'
const opaque = '.wh..wh..opq'

/** What an entry says about lower layers. */
export type Whiteout =
  /** Hides a file or folder. */
  | { readonly kind: 'hides'; readonly path: string }
  /** Hides all that lower layers have in a folder. */
  | { readonly kind: 'empties'; readonly path: string }

/** Reads an entry that says something about lower layers; undefined for any other. Pure. */
export function readWhiteout(path: string): Whiteout | undefined {
  const at = path.lastIndexOf('/')
  const folder = at === -1 ? '' : path.slice(0, at)
  const name = path.slice(at + 1)
  if (name === opaque) return { kind: 'empties', path: folder }
  if (!name.startsWith(whiteout)) return undefined
  const hidden = name.slice(whiteout.length)
  // A name such as `.wh...` must not become a path that leads out.
  if (hidden === '' || hidden === '.' || hidden === '..') return { kind: 'hides', path: path }
  return { kind: 'hides', path: folder === '' ? hidden : `${folder}/${hidden}` }
}
