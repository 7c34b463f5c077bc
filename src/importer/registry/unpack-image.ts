import { createFolderWriter, type UnpackLimits } from '../archive/folder-writer.ts'
import type { ProgramContext } from '../disk/program.ts'
import { besideBytes, openLayer, readWhiteout } from './layer.ts'
import type { ImageReader } from './registry-reader.ts'
import type { ResolvedImage } from './resolve-image.ts'

/** What is unpacked of an image. */
export interface UnpackOptions {
  /** An empty folder, which nothing else writes to. */
  readonly folder: string
  readonly limits: UnpackLimits
  /** Paths that are wanted, such as those below `disk/`. Default: all. */
  readonly wants?: (path: string) => boolean
}

/**
 * Unpacks the files of an image into a folder, layer by layer. Every layer is verified when it was
 * read, so that the folder must not be used before this returns. Nothing leaves the folder: neither
 * a path nor a link. @throws ImportFailure
 */
export async function unpackImage(
  reader: ImageReader,
  { layers }: ResolvedImage,
  { folder, limits, wants = () => true }: UnpackOptions,
  context: ProgramContext,
): Promise<void> {
  const writer = createFolderWriter(folder, limits)
  for (const layer of layers) {
    const { entries } = await openLayer(reader, layer, { ...context, layerBytes: limits.bytes + besideBytes })
    /** Paths of this layer: what empties a folder may come behind what the layer has in it. */
    const own = new Set<string>()
    for await (const entry of entries) {
      context.signal.throwIfAborted()
      const hides = readWhiteout(entry.path)
      if (hides?.kind === 'hides') {
        if (!own.has(hides.path)) await writer.remove(hides.path)
      } else if (hides?.kind === 'empties') await writer.empty(hides.path, own)
      else if (wants(entry.path)) {
        await writer.write(entry)
        own.add(entry.path)
      }
    }
  }
}
