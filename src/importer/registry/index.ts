/**
 * Reads images of container registries, for workers and for all who pull images. `openRegistry`
 * gives the manifests and blobs of a registry, `createArchiveReader` those of an OCI archive.
 * `resolveDigest` only asks which image a name means, `resolveImage` chooses the one of an
 * architecture, `openDisk` finds the disk in it, and `unpackImage` writes its files to a folder.
 * Keeps nothing, and runs nothing of an image.
 */
export { type OpenRegistry, openRegistry, type RegistryAccess } from './open-registry.ts'
export { type ImageReference, parseImageReference } from './image-reference.ts'
export { createArchiveReader } from './archive-reader.ts'
export type { ImageReader } from './registry-reader.ts'
export { openDisk } from './disk-in-image.ts'
export { type ImageWish, type ResolvedImage, resolveDigest, resolveImage, runningArchitecture } from './resolve-image.ts'
export { unpackImage, type UnpackOptions } from './unpack-image.ts'
export { ImportFailure } from '../failure.ts'
