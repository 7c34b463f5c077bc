import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** What a release says of itself, in `release.json`. Paths are relative to its folder. */
export interface ReleaseManifest {
  /** `v0.2.0`. */
  readonly version: string
  /**
   * The hypervisor that its guests run on: a folder with `bin/qemu-system-x86_64`, what that called
   * itself, and what it has for guests.
   */
  readonly qemu: { readonly folder: string; readonly version: string } & Partial<ReleaseHardware>
  /**
   * What others ask before they go to it. Absent in releases that were built before anybody did.
   */
  readonly facts?: ReleaseNotes
  /** Commands by component. A word that begins with `./` is a file of the release. */
  readonly components: Readonly<Record<string, readonly string[]>>
  /** SHA-256 of every file. */
  readonly files: Readonly<Record<string, string>>
}

/** What a hypervisor has for guests. */
export interface ReleaseHardware {
  /** Versioned machine types. */
  readonly machineTypes: readonly string[]
  /** Alias → versioned machine type. */
  readonly machineAliases: Readonly<Record<string, string>>
  readonly cpuModels: readonly string[]
}

/** What a release says to those who come from another one. */
export interface ReleaseNotes {
  /** Oldest version that can go to it at once. */
  readonly upgradesFrom: string
  /** Features that it knows, by the name of their gates. */
  readonly featureGates: Readonly<Record<string, { readonly default: boolean; readonly locked?: boolean }>>
  /** API versions in which it understands copies of instance types and preferences. */
  readonly revisionVersions: readonly string[]
}

/** The release is not what it was when it was built. The message says how to get it back. */
export class ReleaseDamaged extends Error {
  override readonly name = 'ReleaseDamaged'
}

/** Name of the file that makes a folder a release. It is written last. */
export const RELEASE_MANIFEST = 'release.json'
/** Folder of the files of all releases, by their checksums. */
export const RELEASE_FILES = 'files'

const VERSION = /^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

/** Whether it can be the version of a release, and with that the name of its folder. */
export function isReleaseVersion(text: string): boolean {
  return VERSION.test(text)
}

/**
 * Reads what a release says of itself; undefined when there is none of that version. @throws
 * ReleaseDamaged
 */
export async function readRelease(releases: string, version: string): Promise<ReleaseManifest | undefined> {
  if (!isReleaseVersion(version)) return undefined
  const file = join(releases, version, RELEASE_MANIFEST)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const manifest = JSON.parse(text) as ReleaseManifest
    if (manifest.version === version && typeof manifest.components === 'object' && typeof manifest.files === 'object') return manifest
  } catch {
    // Reported below, together with a file of the wrong shape.
  }
  throw new ReleaseDamaged(`Cannot understand "${file}": ${howToRepair(releases, version)}`)
}

/** Versions of the releases that are there, sorted. */
export async function listReleases(releases: string): Promise<readonly string[]> {
  const entries = await readdir(releases, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isDirectory() && isReleaseVersion(entry.name)).map(({ name }) => name)
  return names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** A release as it was found: sound, or with what has become of it. */
export type InspectedRelease =
  | { readonly version: string; readonly manifest: ReleaseManifest }
  | { readonly version: string; readonly damage: string }

/**
 * Every release that is there, compared with its checksums. What has become of one says nothing
 * about the others.
 */
export async function inspectReleases(releases: string): Promise<readonly InspectedRelease[]> {
  const found: InspectedRelease[] = []
  for (const version of await listReleases(releases)) found.push(await inspectRelease(releases, version))
  return found
}

async function inspectRelease(releases: string, version: string): Promise<InspectedRelease> {
  try {
    const manifest = await readRelease(releases, version)
    // A folder gets its name when all is in it.
    if (manifest === undefined)
      return { version, damage: `Release ${version} has no ${RELEASE_MANIFEST}: ${howToRepair(releases, version)}` }
    await verifyRelease(releases, manifest)
    return { version, manifest }
  } catch (error) {
    return { version, damage: (error as Error).message }
  }
}

/**
 * Compares every file with its checksum. @throws ReleaseDamaged that names the files that differ
 */
export async function verifyRelease(releases: string, { version, files }: ReleaseManifest): Promise<void> {
  const sums = await Promise.all(Object.keys(files).map(async (path) => [path, await checksum(join(releases, version, path))] as const))
  const bad = sums.filter(([path, sum]) => sum !== files[path]).map(([path]) => path)
  if (bad.length === 0) return
  throw new ReleaseDamaged(`Release ${version} is damaged (${bad.join(', ')}): ${howToRepair(releases, version)}`)
}

/**
 * The command of a component, with the paths as they are on this machine; undefined when the
 * release has no such component.
 */
export function componentCommand(releases: string, { version, components }: ReleaseManifest, component: string): string[] | undefined {
  if (!Object.hasOwn(components, component)) return undefined
  return components[component]?.map((word) => (word.startsWith('./') ? join(releases, version, word) : word))
}

/** SHA-256 of a file, in hexadecimal digits; undefined when it cannot be read. */
export async function checksum(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch {
    return undefined
  }
  return hash.digest('hex')
}

function howToRepair(releases: string, version: string): string {
  return `move "${join(releases, version)}" away and build it again with "steadyvm release build --version ${version}"`
}
