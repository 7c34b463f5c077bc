import { NAME_ANNOTATIONS, type LayoutWriter, type StoredLayer } from './image-layout.ts'
import { MEDIA, type Descriptor, type ImageConfig, type ImageManifest } from './media-types.ts'

/** Contents and settings of an image. */
export interface ImageContents {
  readonly reference: string
  readonly created: string
  readonly architecture: string
  readonly user: string
  readonly environment: readonly string[]
  /** Empty for images with files only. */
  readonly entrypoint: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** Lowest first, each with a description for `docker history`. */
  readonly layers: readonly { readonly layer: StoredLayer; readonly description: string }[]
}

/** An image in a layout. */
export interface WrittenImage {
  readonly reference: string
  /** With name and platform, for `index.json`. */
  readonly descriptor: Descriptor
  readonly manifest: ImageManifest
}

/** Writes configuration and manifest of an image whose layers are stored. */
export async function writeImage(layout: LayoutWriter, contents: ImageContents): Promise<WrittenImage> {
  const { reference, created, architecture, user, environment, entrypoint, labels, layers } = contents
  const config: ImageConfig = {
    created,
    architecture,
    os: 'linux',
    config: {
      User: user,
      Env: environment,
      ...(entrypoint.length === 0 ? {} : { Entrypoint: entrypoint }),
      WorkingDir: '/',
      Labels: labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ layer }) => layer.diffId) },
    history: layers.map(({ description }) => ({ created, created_by: description })),
  }
  const manifest: ImageManifest = {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config: await layout.addBlob(MEDIA.config, JSON.stringify(config)),
    layers: layers.map(({ layer }) => layer.descriptor),
  }
  const descriptor = await layout.addBlob(MEDIA.manifest, JSON.stringify(manifest))
  const annotations = Object.fromEntries(NAME_ANNOTATIONS.map((key) => [key, reference]))
  return { reference, descriptor: { ...descriptor, platform: { architecture, os: 'linux' }, annotations }, manifest }
}

/** A document about an image. */
export interface Attestation {
  readonly type: string
  readonly title: string
  readonly created: string
  readonly content: string
}

/**
 * Stores a document as an artifact that refers to an image by its subject. Returns the descriptor
 * of the artifact, and of the document.
 */
export async function writeReferrer(
  layout: LayoutWriter,
  { descriptor: { mediaType, digest, size } }: WrittenImage,
  { type, title, created, content }: Attestation,
): Promise<{ readonly artifact: Descriptor; readonly document: Descriptor }> {
  const annotations = { 'org.opencontainers.image.created': created }
  const document = { ...(await layout.addBlob(type, content)), annotations: { 'org.opencontainers.image.title': title } }
  const manifest: ImageManifest = {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    artifactType: type,
    config: await layout.addBlob(MEDIA.empty, '{}'),
    layers: [document],
    subject: { mediaType, digest, size },
    annotations,
  }
  return { artifact: { ...(await layout.addBlob(MEDIA.manifest, JSON.stringify(manifest))), artifactType: type, annotations }, document }
}
