import { CommandError } from '../context.ts'

/** Where the disk image of an argument is. */
export type ImageSource =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'registry'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }

/** What the disk of a VM is made from. */
export type DiskOrigin = ImageSource | { readonly kind: 'dataSource'; readonly namespace?: string; readonly name: string }

/** Endings of files with disk images. A name with one of them is never that of a DataSource. */
const fileEndings = /\.(?:qcow2|img|raw|iso|vmdk|vdi|vhdx?|gz|xz|zst)$/i

/**
 * Reads the URL or the path of a disk image. Anything without a scheme is a path. Pure.
 * @throws CommandError
 */
export function parseImageSource(text: string): ImageSource {
  if (text === '') throw new CommandError('The image is empty: name a URL, a file, or docker://IMAGE')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase()
  switch (scheme) {
    case undefined:
      return { kind: 'file', path: text }
    case 'http':
    case 'https':
      if (!URL.canParse(text)) throw new CommandError(`"${text}" is no URL`)
      return { kind: 'http', url: text }
    case 'docker':
    case 'oci-archive':
      return { kind: 'registry', url: text }
    default:
      throw new CommandError(`"${text}" cannot be read: the scheme "${scheme}" is none of http, https, docker and oci-archive`)
  }
}

/**
 * Reads the `--image` of a new VM: a URL, a file, or a DataSource as `NAME` or `NAMESPACE/NAME`. A
 * file is written with a leading `.` or `/`, or has the ending of a disk image; the file system is
 * not asked, so that the same command means the same everywhere. Pure. @throws CommandError
 */
export function parseDiskOrigin(text: string): DiskOrigin {
  const isFile = /^\.{0,2}\//.test(text) || fileEndings.test(text)
  if (text.includes('://') || text === '' || isFile) return parseImageSource(text)
  const parts = text.split('/')
  const [first = '', second] = parts
  if (parts.length > 2 || parts.some((part) => !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(part)))
    throw new CommandError(`"${text}" is neither a URL nor a DataSource: write NAME or NAMESPACE/NAME, or a file as ./FILE`)
  return second === undefined ? { kind: 'dataSource', name: first } : { kind: 'dataSource', namespace: first, name: second }
}

/** Checksum of the bytes of an image, as they are downloaded or read. */
export interface Checksum {
  readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'
  /** Hexadecimal digits in lower case. */
  readonly digits: string
}

const digitCounts: readonly (readonly [algorithm: Checksum['algorithm'], digits: number])[] = [
  ['md5', 32],
  ['sha1', 40],
  ['sha256', 64],
  ['sha512', 128],
]

/** Reads `ALGORITHM:DIGITS`. Pure. @throws CommandError */
export function parseChecksum(text: string): Checksum {
  const [name = '', digits = ''] = text.toLowerCase().split(':')
  const known = digitCounts.find(([algorithm]) => algorithm === name)
  if (known !== undefined && digits.length === known[1] && /^[0-9a-f]+$/.test(digits)) return { algorithm: known[0], digits }
  const forms = digitCounts.map(([algorithm, count]) => `${algorithm}: and ${count} hexadecimal digits`)
  throw new CommandError(`--checksum "${text}" is none: write ${forms.join(', or ')}`)
}

/** Writes a checksum as `sha256:…`. Pure. */
export function formatChecksum({ algorithm, digits }: Checksum): string {
  return `${algorithm}:${digits}`
}

/** Digest that a reference to a registry pins, as in `docker://host/name@sha256:…`. Pure. */
export function pinnedDigest(url: string): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/i.exec(url)?.[1]?.toLowerCase()
}
