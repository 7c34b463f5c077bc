import { ImportFailure } from '../failure.ts'
import { readDocument } from './document.ts'
import {
  digestLike,
  type ImageConfig,
  type ImageManifest,
  largestDocument,
  parseConfig,
  parseManifest,
  type PlatformImage,
  type RawManifest,
} from './manifest.ts'
import type { ImageReader } from './registry-reader.ts'
import { verified } from './verified-blob.ts'

/** The image that a name means, for one architecture. */
export interface ResolvedImage extends ImageManifest {
  /** Digest of the manifest, or of the list that it is in. */
  readonly digest: string
  readonly settings: ImageConfig
}

/** Which image is wanted. */
export interface ImageWish {
  readonly version: string
  readonly isDigest: boolean
  /** In Go's names. Undefined: that of the machine, and an image that is for one only is taken. */
  readonly architecture: string | undefined
}

const architectures: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'amd64', ia32: '386' }

/** The architecture of this machine, in Go's names. */
export function runningArchitecture(): string {
  return architectures[process.arch] ?? process.arch
}

/**
 * Asks which digest a name means at the moment, without reading the image. That of a list of images
 * is the list's, so that a change for any architecture is seen.
 */
export async function resolveDigest(reader: ImageReader, { version, isDigest }: ImageWish, signal: AbortSignal): Promise<string> {
  return isDigest ? version : reader.digest(version, signal)
}

/** Reads manifest and configuration of an image. @throws ImportFailure */
export async function resolveImage(
  reader: ImageReader,
  { version, isDigest, architecture }: ImageWish,
  signal: AbortSignal,
): Promise<ResolvedImage> {
  const raw = await reader.manifest(version, signal)
  const digest = isDigest ? verifiedManifest(version, raw) : digestLike(`sha256:${'0'.repeat(64)}`, raw.bytes)
  const parsed = parseManifest(raw)
  const manifest =
    'layers' in parsed ? parsed : await manifestOf(reader, choose(parsed.manifests, architecture ?? runningArchitecture()), signal)
  const blob = verified(manifest.config, await reader.blob(limitedConfig(manifest), signal))
  const settings = parseConfig(await readDocument(blob, 'configuration'))
  if (architecture !== undefined && settings.architecture !== '' && settings.architecture !== architecture)
    throw new ImportFailure(
      'ArchitectureMissing',
      `The image is for ${settings.architecture.slice(0, 40)}, and ${architecture} was asked for: name another image or platform`,
    )
  return { ...manifest, digest, settings }
}

function limitedConfig({ config }: ImageManifest): ImageManifest['config'] {
  if (config.size <= largestDocument) return config
  throw new ImportFailure('ImageInvalid', `The configuration of the image has ${config.size} bytes: build and push the image again`)
}

/** @throws ImportFailure */
async function manifestOf(reader: ImageReader, { digest }: PlatformImage, signal: AbortSignal): Promise<ImageManifest> {
  const raw = await reader.manifest(digest, signal)
  verifiedManifest(digest, raw)
  const manifest = parseManifest(raw)
  if ('layers' in manifest) return manifest
  throw new ImportFailure('ImageInvalid', 'The list of images names another list: build and push the image again')
}

/** @throws ImportFailure when a manifest is not the one of the digest */
function verifiedManifest(digest: string, { bytes }: RawManifest): string {
  const found = digestLike(digest, bytes)
  if (found === digest) return digest
  throw new ImportFailure(
    'DigestMismatch',
    `The registry gives the manifest ${found} for ${digest}: what it sends is damaged, or not the image`,
  )
}

/** Chooses the image of an architecture. @throws ImportFailure that names those that there are */
export function choose(images: readonly PlatformImage[], architecture: string): PlatformImage {
  const usable = images.filter(({ platform }) => platform?.os === undefined || platform.os === 'linux')
  const found = usable.find(({ platform }) => platform?.architecture === architecture)
  if (found !== undefined) return found
  const there = [...new Set(usable.map(({ platform }) => platform?.architecture ?? 'an unnamed one'))].toSorted()
  throw new ImportFailure(
    'ArchitectureMissing',
    `The image is not there for ${architecture}, but for ${there.join(', ').slice(0, 200) || 'no architecture'}: name another image or platform`,
  )
}
