import { chmod, copyFile, link, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bundleProgram } from './bundle-program.ts'
import { RELEASE_CONTENTS } from './release-contents.ts'
import { checksum, readRelease, RELEASE_FILES, RELEASE_MANIFEST, type ReleaseManifest, type ReleaseNotes } from './release-directory.ts'
import type { Release } from './release.ts'

/** Parameters of {@link buildRelease}. */
export interface ReleaseBuildOptions {
  /** Checkout to build from. */
  readonly source: Release
  /** Folder of all releases. */
  readonly releases: string
  readonly version: string
  readonly qemu: ReleaseManifest['qemu']
  readonly facts: ReleaseNotes
}

/** The release cannot be built as requested. The message names the remedy. */
export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused'
}

/**
 * Programs of a release that use the API; virt-operator upgrades all but the last one. API server
 * and kubelets are the machine's Kubernetes.
 */
const CLIENTS = ['virt-api', 'virt-controller', 'virt-handler', 'hyperconverged-operator'] as const
/** Programs that do not wait for the API server. */
const WORKERS = ['virt-importer', 'virt-exportserver', 'steadyvm-tasks'] as const
/** Preloaded module that waits for the API server: see image-store.ts. */
const PRELOAD = 'after-apiserver'
const LAUNCHER = 'src/features/launcher/virt-launcher.sh'

/**
 * Builds a self-contained, immutable release of the checkout. An existing version is refused,
 * unless it is identical. Files that releases share are stored once. A build that is killed leaves
 * only a folder without a version.
 */
export async function buildRelease(options: ReleaseBuildOptions): Promise<{ readonly manifest: ReleaseManifest; readonly isNew: boolean }> {
  const { source, releases, version, qemu, facts } = options
  const wrong = whyNoVersion(version)
  if (wrong !== undefined) throw new ReleaseRefused(`Cannot build release "${shortened(version)}": ${wrong}`)
  if (version === source.version) {
    throw new ReleaseRefused(
      `Cannot build release ${version}: that is the version of this checkout, which runs without; choose another one`,
    )
  }
  await mkdir(join(releases, RELEASE_FILES), { recursive: true, mode: 0o700 })
  const work = await mkdtemp(join(releases, '.build-'))
  try {
    await fill(work, source.root, version)
    const files = await storeFiles(work, join(releases, RELEASE_FILES))
    const manifest: ReleaseManifest = { version, qemu, facts, components: commands(), files }
    const present = await readRelease(releases, version)
    if (present !== undefined) {
      if (JSON.stringify(present) === JSON.stringify(manifest)) return { manifest, isNew: false }
      throw new ReleaseRefused(`Cannot build release ${version}: there is one, of other content; choose another version`)
    }
    await writeFile(join(work, RELEASE_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
    await rename(work, join(releases, version))
    return { manifest, isNew: true }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Versions are label values and file names. */
const LONGEST_VERSION = 63
/** Semantic Versioning 2.0.0 without build metadata, which has no order. */
const NUMBER = '(?:0|[1-9]\\d*)'
const SEMVER = new RegExp(`^v${NUMBER}(?:\\.${NUMBER}){2}(?:-${idsOf(`(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`)})?$`)

function idsOf(id: string): string {
  return `${id}(?:\\.${id})*`
}

/**
 * Explains why a version is invalid for a new release, or returns undefined. Releases with names
 * from before these rules can still be read.
 */
export function whyNoVersion(version: string): string | undefined {
  if (version.length > LONGEST_VERSION) return `it has ${version.length} characters, and a version at most ${LONGEST_VERSION}`
  return SEMVER.test(version) ? undefined : 'a version looks like v0.2.0 or v0.2.0-rc.1, and no number in it begins with 0'
}

function shortened(text: string): string {
  return text.length > LONGEST_VERSION ? `${text.slice(0, LONGEST_VERSION)}…` : text
}

async function fill(work: string, root: string, version: string): Promise<void> {
  for (const folder of ['bin', 'programs', 'manifests', dirname(LAUNCHER)]) await mkdir(join(work, folder), { recursive: true })
  const target = join(work, 'programs')
  const bundle = (program: string): Promise<unknown> =>
    bundleProgram({ root, entry: `src/cmd/${program}.ts`, target, runsFrom: join(root, 'programs'), packages: 'bundle' })
  await Promise.all([...CLIENTS, ...WORKERS, PRELOAD].map(bundle))
  await linkOrCopy(join(root, 'node_modules/node/bin/node'), join(work, 'bin/node'))
  for (const file of [LAUNCHER, ...Object.values(RELEASE_CONTENTS)]) await copyFile(join(root, file), join(work, file))
  // A program reads its release's version from this file.
  await writeFile(join(work, 'package.json'), `${JSON.stringify({ name: 'steadyvm', version: version.slice(1), type: 'module' })}\n`)
}

function commands(): ReleaseManifest['components'] {
  const node = ['./bin/node', '--import', `./programs/${PRELOAD}.mjs`]
  return {
    ...Object.fromEntries(CLIENTS.map((program) => [program, [...node, `./programs/${program}.mjs`]])),
    ...Object.fromEntries(WORKERS.map((program) => [program, ['./bin/node', `./programs/${program}.mjs`]])),
    'virt-launcher': ['/bin/sh', `./${LAUNCHER}`],
  }
}

/**
 * Moves every file to the store of files by checksum and hard-links it. Returns checksums by path,
 * sorted.
 */
async function storeFiles(work: string, store: string): Promise<Record<string, string>> {
  const entries = await readdir(work, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(work.length + 1))
  const files: Record<string, string> = {}
  for (const path of paths.toSorted()) {
    const sum = (await checksum(join(work, path))) ?? ''
    files[path] = sum
    await keepOnce(join(work, path), join(store, sum), sum)
  }
  return files
}

async function keepOnce(file: string, stored: string, sum: string): Promise<void> {
  if ((await checksum(stored)) !== sum) {
    // Linked under a temporary name first, so that concurrent builds see whole files only.
    const aside = `${file}.stored`
    await copyFile(file, aside)
    await chmod(aside, file.includes('/bin/') ? 0o500 : 0o400)
    await rename(aside, stored)
  }
  await rm(file)
  await linkOrCopy(stored, file)
}

/** Hard-links, or copies between file systems. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}
