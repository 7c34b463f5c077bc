import { access, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { programFile } from './program-bundle.ts'
import { componentCommand, readRelease, verifyRelease } from './release-directory.ts'
import { REGISTRY, type Release } from './release.ts'

/** A parsed image reference: `steadyvm.io/demo-guest:v1` or `demo@sha256:…`. */
export interface ImageReference {
  readonly repository: string
  /** Tag or digest; default `latest`. */
  readonly version: string
}

/** The image is neither a component nor in the image store. */
export class ImageNotFound extends Error {
  override readonly name = 'ImageNotFound'
}

/** Program or files of an image. */
export interface ResolvedImage {
  readonly rootDirectory: string
  /** Entrypoint of the image; empty for images with files only. */
  readonly entrypoint: readonly string[]
  /** Command of the component by its name, as PATH finds it in a container. */
  readonly programs?: Readonly<Record<string, readonly string[]>>
}

/** Components that are shell scripts of the release. */
const SHELL_COMPONENTS: Readonly<Record<string, string>> = {
  'virt-launcher': 'src/features/launcher/virt-launcher.sh',
  'pod-network': 'src/machine/network/pod-network.sh',
  prometheus: 'src/machine/monitoring/prometheus.sh',
}
const NODE_COMPONENTS: readonly string[] = [
  'apiserver',
  'virt-operator',
  'virt-api',
  'virt-controller',
  'virt-handler',
  'virt-importer',
  'virt-exportserver',
  'hyperconverged-operator',
  'steadyvm-tasks',
]

/** Programs of components that are images of their own, with more beside the same program. */
const PROGRAMS: Readonly<Record<string, string>> = { 'steadyvm-tasks-disk-virt': 'steadyvm-tasks' }

/** Parses a reference. Refuses path segments that lead out of the store. @throws ImageNotFound */
export function parseImageReference(text: string): ImageReference {
  const match = /^([a-z0-9][a-z0-9._/-]*(?::\d+\/[a-z0-9._/-]+)?)(?::([A-Za-z0-9_][\w.-]{0,127})|@(sha256:[a-f0-9]{64}))?$/.exec(text)
  const repository = match?.[1]
  if (repository === undefined || repository.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw new ImageNotFound(`Cannot use image reference "${text}": it is not of the form registry/name:tag`)
  }
  return { repository, version: match?.[2] ?? match?.[3]?.replace(':', '-') ?? 'latest' }
}

/** Returns the folder of an image in the store. */
export function imageDirectory(store: string, reference: string): string {
  const { repository, version } = parseImageReference(reference)
  return join(store, repository.replaceAll(':', '_'), version)
}

/**
 * Reports whether an image may be pulled: its name begins with the host of a registry, such as
 * `quay.io` or `localhost:5000`, and not with this system's own, whose images are on the machine.
 * Pure.
 */
export function namesRegistry(reference: string): boolean {
  const [host = '', ...rest] = reference.split('/')
  return rest.length > 0 && host !== REGISTRY && (/[.:]/.test(host) || host === 'localhost')
}

/** Folders that images are resolved from. */
export interface ImageSources {
  /** The image store. */
  readonly images: string
  /** Folder of releases. */
  readonly releases: string
}

/**
 * Resolves an image reference to a component of this or another release, or to a folder of the
 * image store, whose command is in `entrypoint.json`. @throws ImageNotFound, ReleaseDamaged
 */
export async function resolveImage({ images: store, releases }: ImageSources, release: Release, reference: string): Promise<ResolvedImage> {
  const { repository, version } = parseImageReference(reference)
  const image = repository.startsWith(`${REGISTRY}/`) ? repository.slice(REGISTRY.length + 1) : undefined
  const component = image === undefined ? undefined : (PROGRAMS[image] ?? image)
  const program = component === undefined || version !== release.version ? undefined : componentProgram(release, component)
  if (component !== undefined && program !== undefined)
    return { rootDirectory: release.root, entrypoint: program, programs: { [component]: program } }
  const released = component === undefined ? undefined : await releasedComponent(releases, version, component)
  if (released !== undefined) return released
  const directory = imageDirectory(store, reference)
  try {
    await access(directory)
  } catch (cause) {
    throw new ImageNotFound(await explainMissing(store, reference, directory), { cause })
  }
  return { rootDirectory: directory, entrypoint: await readEntrypoint(directory) }
}

async function releasedComponent(releases: string, version: string, component: string): Promise<ResolvedImage | undefined> {
  const manifest = await readRelease(releases, version)
  const entrypoint = manifest === undefined ? undefined : componentCommand(releases, manifest, component)
  if (manifest === undefined || entrypoint === undefined) return undefined
  const rootDirectory = join(releases, version)
  // Verified once per process: verification would delay the start of every guest.
  if (!verified.has(rootDirectory)) {
    await verifyRelease(releases, manifest)
    verified.add(rootDirectory)
  }
  return { rootDirectory, entrypoint, programs: { [component]: entrypoint } }
}

const verified = new Set<string>()

/** Explains a missing image: lists the images in the store, and how to add one. */
async function explainMissing(store: string, reference: string, directory: string): Promise<string> {
  const known = await listImages(store)
  return (
    `Cannot find image "${reference}" in the image store: there is no "${directory}". ` +
    'Containers are programs of this machine, and only volumes are pulled, by names that begin with the host of a registry. ' +
    `${known.length === 0 ? 'No images are registered' : `Registered images: ${known.join(', ')}`}. ` +
    'To register one, make that folder; a command in it, as a JSON list in "entrypoint.json", runs when a container names none'
  )
}

/**
 * Lists at most 20 references of images in the store, sorted. An image is a folder with files or an
 * empty one.
 */
async function listImages(store: string, repository: string = '', depth: number = 5): Promise<readonly string[]> {
  const entries = await readdir(join(store, repository), { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  if (repository !== '' && (folders.length === 0 || folders.length < entries.length)) return [referenceOf(repository)]
  if (depth === 0) return []
  const nested = await Promise.all(folders.slice(0, 20).map((name) => listImages(store, join(repository, name), depth - 1)))
  return nested.flat().toSorted().slice(0, 20)
}

/** The folder `a/b/v1` holds the image `a/b:v1`. */
function referenceOf(folder: string): string {
  return `${dirname(folder)}:${basename(folder)}`
}

function componentProgram(release: Release, component: string): string[] | undefined {
  const script = SHELL_COMPONENTS[component]
  if (script !== undefined) return ['/bin/sh', join(release.root, script)]
  if (!NODE_COMPONENTS.includes(component)) return undefined
  return [join(release.root, 'node_modules/node/bin/node'), ...nodeOptions(release, component), programFile(release.root, component)]
}

function nodeOptions(release: Release, component: string): string[] {
  // MiB, half of Node's default: total garbage collection work is the same, and each pause is half
  // as long.
  if (component === 'apiserver') return ['--max-semi-space-size=8']
  // Have no part in the API, or are only started when it is served, and so do not wait for it.
  if (['virt-importer', 'virt-exportserver', 'steadyvm-tasks'].includes(component)) return []
  // Other components import their code only when the API server listens, since it needs the CPU to
  // start.
  return ['--import', join(release.root, 'src/cmd/after-apiserver.ts')]
}

async function readEntrypoint(directory: string): Promise<string[]> {
  try {
    return JSON.parse(await readFile(join(directory, 'entrypoint.json'), 'utf8')) as string[]
  } catch {
    return []
  }
}
