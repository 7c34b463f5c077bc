import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** `release.json`. Paths are relative to the release's folder. */
export interface ReleaseManifest {
  /** `v0.2.0`. */
  readonly version: string
  /**
   * QEMU of the release: the folder with `bin/qemu-system-x86_64`, its version and its hardware.
   */
  readonly qemu: { readonly folder: string; readonly version: string } & Partial<ReleaseHardware>
  /** Input of the upgrade check. Absent in releases that were built before it existed. */
  readonly facts?: ReleaseNotes
  /** Commands by component. A word that begins with `./` is a file of the release. */
  readonly components: Readonly<Record<string, readonly string[]>>
  /** SHA-256 of every file. */
  readonly files: Readonly<Record<string, string>>
}

/** Hardware that a QEMU offers. */
export interface ReleaseHardware {
  /** Versioned machine types. */
  readonly machineTypes: readonly string[]
  /** Alias → versioned machine type. */
  readonly machineAliases: Readonly<Record<string, string>>
  readonly cpuModels: readonly string[]
}

/** Facts for the check of upgrades to this release. */
export interface ReleaseNotes {
  /** Oldest version that can be upgraded directly. */
  readonly upgradesFrom: string
  /** Supported features, by feature gate. */
  readonly featureGates: Readonly<Record<string, { readonly default: boolean; readonly locked?: boolean }>>
  /** Supported API versions of instance type and preference ControllerRevisions. */
  readonly revisionVersions: readonly string[]
  /**
   * Feature gates of HyperConverged. Absent in releases that were built before it was published;
   * those with it render components: `hyperconverged-operator --render`.
   */
  readonly hyperConvergedGates?: readonly PublishedGate[]
}

/** A feature gate of HyperConverged, as a release publishes it. */
interface PublishedGate {
  readonly name: string
  readonly phase: 'alpha' | 'beta' | 'GA' | 'deprecated' | 'discontinued'
  readonly effect: string
  readonly replacedBy?: string
  /** Guests that it affects: as one phrase, and by fields of which such a guest has one. */
  readonly guests?: { readonly which: string; readonly fields: readonly string[] }
}

/** A release does not match its checksums. The message names the remedy. */
export class ReleaseDamaged extends Error {
  override readonly name = 'ReleaseDamaged'
}

/** Manifest of a release. It is written last: a folder without it is not a release. */
export const RELEASE_MANIFEST = 'release.json'
/** Folder with the files of all releases, named by checksum. */
export const RELEASE_FILES = 'files'

const VERSION = /^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

/** Reports whether a text is a release version, and so a folder name. */
export function isReleaseVersion(text: string): boolean {
  return VERSION.test(text)
}

/**
 * Reads the manifest of a release; undefined when there is no such release. @throws ReleaseDamaged
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
    // Reported below, together with valid JSON of the wrong shape.
  }
  throw new ReleaseDamaged(`Cannot understand "${file}": ${howToRepair(releases, version)}`)
}

/** Lists the versions of all releases, sorted. */
export async function listReleases(releases: string): Promise<readonly string[]> {
  const entries = await readdir(releases, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isDirectory() && isReleaseVersion(entry.name)).map(({ name }) => name)
  return names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** A release with its manifest, or the reason why it is damaged. */
export type InspectedRelease =
  | { readonly version: string; readonly manifest: ReleaseManifest }
  | { readonly version: string; readonly damage: string }

/** Verifies all releases. A damaged one does not hide the others. */
export async function inspectReleases(releases: string): Promise<readonly InspectedRelease[]> {
  const found: InspectedRelease[] = []
  for (const version of await listReleases(releases)) found.push(await inspectRelease(releases, version))
  return found
}

async function inspectRelease(releases: string, version: string): Promise<InspectedRelease> {
  try {
    const manifest = await readRelease(releases, version)
    // The folder is renamed to its version when it is complete.
    if (manifest === undefined)
      return { version, damage: `Release ${version} has no ${RELEASE_MANIFEST}: ${howToRepair(releases, version)}` }
    await verifyRelease(releases, manifest)
    return { version, manifest }
  } catch (error) {
    return { version, damage: (error as Error).message }
  }
}

/** Verifies the checksum of every file. @throws ReleaseDamaged that names the files that differ */
export async function verifyRelease(releases: string, { version, files }: ReleaseManifest): Promise<void> {
  const sums = await Promise.all(Object.keys(files).map(async (path) => [path, await checksum(join(releases, version, path))] as const))
  const bad = sums.filter(([path, sum]) => sum !== files[path]).map(([path]) => path)
  if (bad.length === 0) return
  throw new ReleaseDamaged(`Release ${version} is damaged (${bad.join(', ')}): ${howToRepair(releases, version)}`)
}

/** Returns a component's command with absolute paths; undefined for an unknown component. */
export function componentCommand(releases: string, { version, components }: ReleaseManifest, component: string): string[] | undefined {
  if (!Object.hasOwn(components, component)) return undefined
  return components[component]?.map((word) => (word.startsWith('./') ? join(releases, version, word) : word))
}

/** Returns the SHA-256 of a file in hexadecimal; undefined when it cannot be read. */
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
