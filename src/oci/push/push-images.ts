import { readFile } from 'node:fs/promises'
import { blobPath, readLayout, verifyBlob, type LayoutImage } from '../image/image-layout.ts'
import { MEDIA, type Descriptor, type ImageIndex, type ImageManifest } from '../image/media-types.ts'
import type { RegistryAddress } from './registry-address.ts'
import type { RegistryClient } from './registry-client.ts'

/** An image in a registry. */
export interface PushedImage {
  /** `registry.example.com/team/virt-api:v0.1.0`. */
  readonly reference: string
  readonly digest: string
  /** Number of blobs: sent, taken from another repository, or there before. */
  readonly blobs: { readonly sent: number; readonly mounted: number; readonly present: number }
  readonly sentBytes: number
}

/** Parameters of {@link pushImages}. */
export interface PushOptions {
  /** Folder of the layout. */
  readonly folder: string
  readonly address: RegistryAddress
  readonly client: RegistryClient
  readonly onBlob?: (reference: string, descriptor: Descriptor) => void
  readonly onImage?: (image: PushedImage) => void
}

/**
 * Pushes all images of a layout with their attestations. Blobs that the registry has are not sent,
 * so that a push that was interrupted continues where it was. A tag is written after everything
 * that it needs. @throws LayoutUnusable, RegistryError
 */
export async function pushImages(options: PushOptions): Promise<readonly PushedImage[]> {
  const { folder, address, onImage } = options
  /** Repository by blob that it has. */
  const places = new Map<string, string>()
  const pushed: PushedImage[] = []
  for (const image of await readLayout(folder)) {
    const { name, tag } = nameAndTag(image)
    const repository = `${address.prefix}${name}`
    const result = await pushImage(options, { image, repository, tag, places })
    pushed.push(result)
    onImage?.(result)
  }
  return pushed
}

/** Where an image of a layout goes. */
export interface PushTarget {
  readonly image: LayoutImage
  readonly repository: string
  readonly tag: string
  /** Repository by blob that it has: blobs are taken from there. */
  readonly places: Map<string, string>
}

/** Pushes one image of a layout. @throws LayoutUnusable, RegistryError */
export async function pushImage(options: Omit<PushOptions, 'onImage'>, target: PushTarget): Promise<PushedImage> {
  const { address, client, folder } = options
  const { image, repository, tag } = target
  const reference = `${address.name}/${repository}:${tag}`
  const counts = { sent: 0, mounted: 0, present: 0 }
  let sentBytes = 0
  const manifests = [image, ...image.referrers]
  const blobs = new Map(manifests.flatMap(({ manifest }) => blobsOf(manifest)).map((blob) => [blob.digest, blob]))
  for (const blob of blobs.values()) {
    options.onBlob?.(reference, blob)
    const outcome = await pushBlob(options, target, blob)
    counts[outcome]++
    if (outcome === 'sent') sentBytes += blob.size
  }
  const { digest } = image.descriptor
  // Registries with immutable tags refuse to write the same again.
  if ((await client.manifestDigest(repository, tag)) !== digest) {
    await client.putManifest(repository, tag, await readManifest(folder, image.descriptor))
  }
  for (const { descriptor } of image.referrers) {
    const { isListed } = await client.putManifest(repository, descriptor.digest, await readManifest(folder, descriptor))
    if (!isListed) await listReferrer(client, repository, digest, descriptor)
  }
  return { reference, digest, blobs: counts, sentBytes }
}

async function pushBlob(
  { client, folder }: Pick<PushOptions, 'client' | 'folder'>,
  { repository, places }: PushTarget,
  blob: Descriptor,
): Promise<'sent' | 'mounted' | 'present'> {
  const place = places.get(blob.digest)
  const known = (): void => void places.set(blob.digest, repository)
  if (await client.hasBlob(repository, blob.digest)) {
    known()
    return 'present'
  }
  if (place !== undefined && (await client.mountBlob(repository, blob.digest, place))) return 'mounted'
  await verifyBlob(folder, blob)
  await client.uploadBlob(repository, blob, blobPath(folder, blob.digest))
  known()
  return 'sent'
}

/**
 * Adds a referrer to the index that clients read where a registry has no referrers API: the tag is
 * the digest of the subject. Two pushes of one image at once may lose an entry, as the
 * specification says.
 */
async function listReferrer(client: RegistryClient, repository: string, subject: string, referrer: Descriptor): Promise<void> {
  const tag = subject.replace(':', '-')
  const present = (await client.getIndex(repository, tag))?.manifests ?? []
  if (present.some(({ digest }) => digest === referrer.digest)) return
  const index: ImageIndex = { schemaVersion: 2, mediaType: MEDIA.index, manifests: [...present, referrer] }
  await client.putManifest(repository, tag, { mediaType: MEDIA.index, content: Buffer.from(JSON.stringify(index)) })
}

function blobsOf({ config, layers }: ImageManifest): readonly Descriptor[] {
  return [...layers, config]
}

async function readManifest(folder: string, { mediaType, digest }: Descriptor): Promise<{ mediaType: string; content: Uint8Array }> {
  return { mediaType, content: await readFile(blobPath(folder, digest)) }
}

/**
 * `steadyvm.io/virt-api:v0.1.0` is `virt-api` and `v0.1.0`: the registry of the layout is replaced.
 */
function nameAndTag({ reference }: LayoutImage): { readonly name: string; readonly tag: string } {
  const colon = reference.lastIndexOf(':')
  return { name: reference.slice(reference.lastIndexOf('/') + 1, colon), tag: reference.slice(colon + 1) }
}
