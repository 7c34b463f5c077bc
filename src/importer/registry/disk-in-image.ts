import type { TarEntry } from '../archive/tar-entries.ts'
import { quote } from '../archive/tar-entries.ts'
import type { Content, ContentSource } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { labelsOf } from './image-labels.ts'
import { type LayerContext, openLayer, readWhiteout } from './layer.ts'
import type { ImageReader } from './registry-reader.ts'
import { type ImageWish, type ResolvedImage, resolveImage } from './resolve-image.ts'

/** Folder of images in which KubeVirt keeps disks. */
const folder = 'disk'

/** Creates the source of the disk in an image of a registry. */
export function createImageSource(reader: ImageReader, wish: ImageWish, context: LayerContext): ContentSource {
  let labels: Readonly<Record<string, string>> = {}
  return {
    async open(_from, signal) {
      const image = await resolveImage(reader, wish, signal)
      labels = labelsOf(image.settings.environment)
      return openDisk(reader, image, { ...context, signal })
    },
    labels: () => labels,
  }
}

/**
 * Opens the first file below `disk/` in the highest layer that has one. @throws ImportFailure
 */
export async function openDisk(reader: ImageReader, image: ResolvedImage, context: LayerContext): Promise<Content> {
  const { labels } = image.settings
  if (labels['containers.bootc'] === '1' || labels['ostree.bootable'] === '1')
    throw new ImportFailure(
      'NoDiskInImage',
      'The image is a bootable container, which has no disk: make a disk of it, for example with bootc-image-builder',
    )
  for (const layer of image.layers.toReversed()) {
    const { entries } = await openLayer(reader, layer, context)
    const found = await findDisk(entries)
    if (found.disk !== undefined) return contentOf(found.disk, entries)
    if (found.isHidden) break
  }
  throw new ImportFailure('NoDiskInImage', `The image has no file in "/${folder}": use an image that was made as a container disk`)
}

interface FoundDisk {
  readonly disk?: TarEntry
  /** The layer hides what lower layers have. */
  readonly isHidden: boolean
}

/** Reads a layer up to the disk, or to its end. */
async function findDisk(entries: AsyncGenerator<TarEntry>): Promise<FoundDisk> {
  let isHidden = false
  for (;;) {
    const next = await entries.next()
    if (next.done === true) return { isHidden }
    const { path, kind } = next.value
    const hides = readWhiteout(path)
    if (hides !== undefined) {
      isHidden ||= hides.path === folder || (hides.kind === 'empties' && hides.path === '')
      continue
    }
    if (path !== folder && !path.startsWith(`${folder}/`)) continue
    if (kind === 'file') return { disk: next.value, isHidden }
    if (kind !== 'directory')
      throw new ImportFailure('UnsafeArchive', `The image has a link "/${quote(path)}" in place of a disk: put the file itself there`)
  }
}

/** The disk, with the rest of its layer verified behind it. */
function contentOf(disk: TarEntry, entries: AsyncGenerator<TarEntry>): Content {
  let isRead = false
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      yield* disk.chunks
      isRead = true
    } finally {
      if (!isRead) await entries.return(undefined)
    }
  }
  return {
    start: 0,
    total: disk.bytes,
    validator: undefined,
    chunks: chunks(),
    async verify() {
      for await (const _ of entries);
    },
  }
}
