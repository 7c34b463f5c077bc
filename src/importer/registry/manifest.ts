import { createHash } from 'node:crypto'
import { ImportFailure } from '../failure.ts'

/** Media types of manifests, of OCI and of Docker. */
export const manifestTypes = {
  image: ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json'],
  list: ['application/vnd.oci.image.index.v1+json', 'application/vnd.docker.distribution.manifest.list.v2+json'],
} as const

/** A blob by its content. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** The parts of an image. */
export interface ImageManifest {
  readonly config: Descriptor
  /** Lowest first. */
  readonly layers: readonly Descriptor[]
}

/** One image of a list, with what it is for. */
export interface PlatformImage extends Descriptor {
  readonly platform?: { readonly architecture?: string; readonly os?: string; readonly variant?: string }
}

/** Settings of an image that matter here. */
export interface ImageConfig {
  readonly architecture: string
  readonly environment: readonly string[]
  readonly labels: Readonly<Record<string, string>>
}

/** A manifest as a registry gives it. */
export interface RawManifest {
  readonly mediaType: string
  readonly bytes: Buffer
}

/** Largest manifest and configuration, as registries have it. */
export const largestDocument: number = 4 * 1024 * 1024
const mostLayers = 500

/** @throws ImportFailure */
export function parseManifest({ mediaType, bytes }: RawManifest): ImageManifest | { readonly manifests: readonly PlatformImage[] } {
  const value = parseObject(bytes, 'manifest')
  const type = typeof value['mediaType'] === 'string' ? value['mediaType'] : (mediaType.split(';')[0] ?? '').trim()
  if (isOneOf(type, manifestTypes.list) || Array.isArray(value['manifests'])) return { manifests: descriptors(value['manifests']) }
  if (isOneOf(type, manifestTypes.image) || Array.isArray(value['layers'])) {
    const [config] = descriptors([value['config']])
    if (config !== undefined) return { config, layers: descriptors(value['layers']) }
  }
  throw invalid('manifest', `its type is "${type.slice(0, 100)}"`)
}

/** @throws ImportFailure */
export function parseConfig(bytes: Buffer): ImageConfig {
  const value = parseObject(bytes, 'configuration')
  const inner = isObject(value['config']) ? value['config'] : {}
  const labels = isObject(inner['Labels']) ? inner['Labels'] : {}
  return {
    architecture: typeof value['architecture'] === 'string' ? value['architecture'] : '',
    environment: Array.isArray(inner['Env']) ? inner['Env'].filter((each): each is string => typeof each === 'string') : [],
    labels: Object.fromEntries(Object.entries(labels).filter((each): each is [string, string] => typeof each[1] === 'string')),
  }
}

/** Digest of bytes, by the algorithm of another one. @throws ImportFailure */
export function digestLike(digest: string, bytes: Buffer): string {
  return `${algorithmOf(digest)}:${createHash(algorithmOf(digest)).update(bytes).digest('hex')}`
}

/** @throws ImportFailure for a digest that is none */
export function algorithmOf(digest: string): 'sha256' | 'sha512' {
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return 'sha256'
  if (/^sha512:[0-9a-f]{128}$/.test(digest)) return 'sha512'
  throw invalid('manifest', `it names the digest "${digest.slice(0, 100)}"`)
}

function descriptors(value: unknown): PlatformImage[] {
  if (!Array.isArray(value) || value.length > mostLayers) throw invalid('manifest', 'its list of blobs is none')
  return value.map((each: unknown) => {
    if (!isObject(each)) throw invalid('manifest', 'it has a blob without descriptor')
    const { mediaType, digest, size, platform } = each
    if (typeof digest !== 'string' || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
      throw invalid('manifest', 'it has a blob without digest or size')
    algorithmOf(digest)
    return {
      mediaType: typeof mediaType === 'string' ? mediaType : '',
      digest,
      size,
      ...(isObject(platform) ? { platform: strings(platform) } : {}),
    }
  })
}

function strings(value: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).filter((each): each is [string, string] => typeof each[1] === 'string'))
}

function parseObject(bytes: Buffer, what: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Reported below, with valid JSON that is no object.
  }
  throw invalid(what, 'it is no JSON object')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOneOf(type: string, types: readonly string[]): boolean {
  return types.includes(type)
}

function invalid(what: string, found: string): ImportFailure {
  return new ImportFailure('ImageInvalid', `The ${what} of the image cannot be used: ${found}; build and push the image again`)
}
