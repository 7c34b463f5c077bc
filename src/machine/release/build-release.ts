import { chmod, copyFile, link, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bundleProgram } from './bundle-program.ts'
import { RELEASE_CONTENTS } from './release-contents.ts'
import { checksum, readRelease, RELEASE_FILES, RELEASE_MANIFEST, type ReleaseManifest, type ReleaseNotes } from './release-directory.ts'
import type { Release } from './release.ts'

/** What `steadyvm release build` is asked for. */
export interface ReleaseBuildOptions {
  /** The checkout that it is made of. */
  readonly source: Release
  /** Folder of all releases. */
  readonly releases: string
  readonly version: string
  readonly qemu: ReleaseManifest['qemu']
  readonly facts: ReleaseNotes
}

/** It cannot be built as asked. The message says what to do. */
export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused'
}

/**
 * What the operator replaces. The API server and the kubelets are the machine's Kubernetes, and no
 * part of it.
 */
const PROGRAMS = ['virt-api', 'virt-controller', 'virt-handler'] as const
/** Waits for the API server: see image-store.ts. */
const PRELOAD = 'after-apiserver'
const LAUNCHER = 'src/features/launcher/virt-launcher.sh'

/**
 * Makes a release of the checkout as it is now. It needs nothing of the checkout afterwards, and
 * never changes: a version that is there already is refused, unless it is the same. Files that
 * releases have in common are stored once. Cut anywhere, it leaves at most a folder that no version
 * is called by.
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

/** Longest version that can be the value of a label, and with that the name of a file anywhere. */
const LONGEST_VERSION = 63
/**
 * Semantic Versioning 2.0.0, without what it calls build metadata: releases that differ only in
 * that could not be told apart by age.
 */
const NUMBER = '(?:0|[1-9]\\d*)'
const SEMVER = new RegExp(`^v${NUMBER}(?:\\.${NUMBER}){2}(?:-${idsOf(`(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`)})?$`)

function idsOf(id: string): string {
  return `${id}(?:\\.${id})*`
}

/**
 * Why nothing new can have that version; undefined when it can. What was built in the days of other
 * rules is still read.
 */
function whyNoVersion(version: string): string | undefined {
  if (version.length > LONGEST_VERSION) return `it has ${version.length} characters, and a version at most ${LONGEST_VERSION}`
  return SEMVER.test(version) ? undefined : 'a version looks like v0.2.0 or v0.2.0-rc.1, and no number in it begins with 0'
}

function shortened(text: string): string {
  return text.length > LONGEST_VERSION ? `${text.slice(0, LONGEST_VERSION)}…` : text
}

async function fill(work: string, root: string, version: string): Promise<void> {
  for (const folder of ['bin', 'programs', 'manifests', dirname(LAUNCHER)]) await mkdir(join(work, folder), { recursive: true })
  for (const program of [...PROGRAMS, PRELOAD]) {
    const entry = `src/cmd/${program}.ts`
    await bundleProgram({ root, entry, target: join(work, 'programs'), runsFrom: join(root, 'programs'), packages: 'bundle' })
  }
  await linkOrCopy(join(root, 'node_modules/node/bin/node'), join(work, 'bin/node'))
  for (const file of [LAUNCHER, ...Object.values(RELEASE_CONTENTS)]) await copyFile(join(root, file), join(work, file))
  // By this a program knows which release it belongs to.
  await writeFile(join(work, 'package.json'), `${JSON.stringify({ name: 'steadyvm', version: version.slice(1), type: 'module' })}\n`)
}

function commands(): ReleaseManifest['components'] {
  const node = ['./bin/node', '--import', `./programs/${PRELOAD}.mjs`]
  return {
    ...Object.fromEntries(PROGRAMS.map((program) => [program, [...node, `./programs/${program}.mjs`]])),
    'virt-launcher': ['/bin/sh', `./${LAUNCHER}`],
  }
}

/**
 * Moves every file to its place by checksum, and leaves a hard link to it. Gives the checksums by
 * path, sorted.
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
    // Linked under another name first: another build that looks for it finds it whole or not at
    // all.
    const aside = `${file}.stored`
    await copyFile(file, aside)
    await chmod(aside, file.includes('/bin/') ? 0o500 : 0o400)
    await rename(aside, stored)
  }
  await rm(file)
  await linkOrCopy(stored, file)
}

/** A hard link costs nothing; between file systems there is none. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}
