import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { whyNoVersion } from '#machine/release/build-release.ts'
import type { ReleaseManifest, ReleaseNotes } from '#machine/release/release-directory.ts'
import { attest, type BuildFacts, type ImageParts } from './attestation/attest.ts'
import type { DebianPackage } from './attestation/debian-packages.ts'
import { bundledPackages, lockedPackage, type PackageLock } from './attestation/npm-packages.ts'
import { withPackageRecords, type RecordedLayer } from './attestation/package-records.ts'
import { componentImages, NODE_PROGRAMS, type ImagePlan, type SharedLayer } from './component-images.ts'
import { componentFiles } from './files/component-files.ts'
import { filesOfMachine } from './files/machine-files.ts'
import type { Libguestfs } from './files/libguestfs.ts'
import { findQemuFiles } from './files/qemu-files.ts'
import { launcherFiles, programFiles, releaseFiles, type ProgramFiles } from './files/release-files.ts'
import { USERS } from './files/system-files.ts'
import { writeArchive } from '#oci/image/image-archive.ts'
import { createLayout, isLayout, replaceLayout, type LayoutWriter, type StoredLayer } from '#oci/image/image-layout.ts'
import { entriesWithout, type LayerEntry } from '#oci/image/layer-entry.ts'
import type { Descriptor } from '#oci/image/media-types.ts'
import { packTar } from '#oci/image/tar-archive.ts'
import { writeImage, type WrittenImage } from '#oci/image/write-image.ts'
import { readSourceRevision } from './source-revision.ts'

/** Parameters of {@link buildImages}. */
export interface ImageBuildOptions {
  /** Folder of the checkout. */
  readonly root: string
  /** Folder of the new layout. An older layout there is replaced. */
  readonly output: string
  readonly version: string
  /** Registry and path before the name of a component. */
  readonly registry: string
  /** QEMU of the images, from this machine. */
  readonly qemu: ReleaseManifest['qemu']
  readonly facts: ReleaseNotes
  /** The demo guest, built in a folder. Absent: no image of it. */
  readonly demoGuest?: { readonly tag: string; readonly folder: string }
  /** libguestfs of this machine. Absent: no image has it. */
  readonly libguestfs?: Libguestfs
  /** SOURCE_DATE_EPOCH. Default: the time of the commit. */
  readonly sourceDateEpoch?: string
  /** Also writes `images.tar`. */
  readonly hasArchive: boolean
  /** Level of gzip. */
  readonly compression?: number
  readonly onProgress?: (what: string) => void
}

/** Result of {@link buildImages}. */
export interface BuiltImages {
  readonly images: readonly WrittenImage[]
  /** What is missing on this machine and so in the images, with the remedy. */
  readonly missing: readonly string[]
  readonly isDirty: boolean
  /** Path of the archive. */
  readonly archive?: string
}

/** The images cannot be built as requested. The message names the remedy. */
export class ImageBuildRefused extends Error {
  override readonly name = 'ImageBuildRefused'
}

const ARCHIVE = 'images.tar'
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * Builds the images of all components as an OCI image layout, from files of the checkout and of the
 * Debian packages on this machine; without a registry, a daemon or root. The same inputs give the
 * same digests. The layout gets its name when it is complete.
 */
export async function buildImages(options: ImageBuildOptions): Promise<BuiltImages> {
  const { root, output, version, sourceDateEpoch, compression = 6 } = options
  const wrong = whyNoVersion(version)
  if (wrong !== undefined) throw new ImageBuildRefused(`Cannot build images of version "${version}": ${wrong}`)
  await refuseForeignFolder(output)
  const revision = await readSourceRevision(root, sourceDateEpoch)
  await mkdir(dirname(output), { recursive: true })
  const work = await mkdtemp(join(dirname(output), `.${basename(output)}-`))
  try {
    const layout = await createLayout({ folder: join(work, 'layout'), compression })
    const build = await prepare(options, layout, revision, join(work, 'programs'))
    const images = await writeAll(options, build)
    if (options.hasArchive) {
      options.onProgress?.('archive')
      await writeArchive(layout.folder, images, { file: join(layout.folder, ARCHIVE), mtime: revision.created })
    }
    await replaceLayout(layout.folder, output)
    const { missing } = build.facts
    return { images, missing, isDirty: revision.isDirty, ...(options.hasArchive ? { archive: join(output, ARCHIVE) } : {}) }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function refuseForeignFolder(output: string): Promise<void> {
  let names: readonly string[]
  try {
    names = await readdir(output)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (names.length === 0 || (await isLayout(output))) return
  throw new ImageBuildRefused(
    `Cannot write images to "${output}": it has files and is no OCI image layout; choose another folder with --output`,
  )
}

interface Build {
  readonly layout: LayoutWriter
  readonly facts: BuildFacts
  readonly created: string
  readonly architecture: string
  readonly lock: PackageLock
  readonly shared: Readonly<Record<SharedLayer, RecordedLayer>>
  readonly stored: Readonly<Record<SharedLayer, StoredLayer>>
  readonly programs: ReadonlyMap<string, ProgramFiles>
  readonly node: string
}

/** Collects all files and stores the shared layers. */
async function prepare(options: ImageBuildOptions, layout: LayoutWriter, revision: BuildFacts['revision'], work: string): Promise<Build> {
  const { root, version, registry, qemu, onProgress } = options
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined)
    throw new ImageBuildRefused(`Cannot build images on ${process.arch}: only ${Object.keys(ARCHITECTURES).join(' and ')} are supported`)
  const lockText = await readFile(join(root, 'package-lock.json'), 'utf8')
  const lock = JSON.parse(lockText) as PackageLock
  const node = join(root, 'node_modules/node/bin/node')
  const qemuFiles = await findQemuFiles(qemu.folder)
  onProgress?.('programs')
  await mkdir(work, { recursive: true })
  const [machine, release, programs, distribution] = await Promise.all([
    componentFiles(node, qemuFiles, options.libguestfs),
    releaseFiles(options),
    bundlePrograms(root, work),
    readDistribution(),
  ])
  onProgress?.('packages')
  const shared = await recordPackages({ ...machine, release }, node, options.libguestfs)
  onProgress?.('layers')
  const stored = await storeAll(layout, shared, revision.created)
  const facts: BuildFacts = {
    version,
    revision,
    distribution,
    parameters: { version, registry, qemu: qemu.folder },
    environment: { architecture, node: lockedPackage('node_modules/node', lock).version, qemu: qemu.version },
    missing: qemuFiles.missing,
    packageLock: createHash('sha256').update(lockText).digest('hex'),
  }
  return {
    layout,
    facts,
    created: revision.created.toISOString().replace('.000Z', 'Z'),
    architecture,
    lock,
    shared,
    stored,
    programs,
    node,
  }
}

async function bundlePrograms(root: string, work: string): Promise<ReadonlyMap<string, ProgramFiles>> {
  const bundled = await Promise.all(NODE_PROGRAMS.map(async (name) => [name, await programFiles(root, name, work)] as const))
  return new Map<string, ProgramFiles>([...bundled, ['virt-launcher', { entries: await launcherFiles(root), inputs: [] }]])
}

/** Adds package records, without those of lower layers: a package may have files in several. */
async function recordPackages(
  entries: Readonly<Record<SharedLayer, readonly LayerEntry[]>>,
  node: string,
  libguestfs: Libguestfs | undefined,
): Promise<Readonly<Record<SharedLayer, RecordedLayer>>> {
  const system = await withPackageRecords(entries.system)
  const [nodeLayer, qemu] = await Promise.all([withPackageRecords(entries.node, { ours: [node] }), withPackageRecords(entries.qemu)])
  const [nodeTools, importTools, taskTools, disks, shell] = await Promise.all([
    withPackageRecords(entries['node-tools']),
    withPackageRecords(entries['import-tools']),
    withPackageRecords(entries['task-tools']),
    withPackageRecords(entries.libguestfs, { packages: libguestfs?.packages ?? [] }),
    withPackageRecords(entries.shell),
  ])
  const above = (layer: RecordedLayer, ...below: readonly RecordedLayer[]): RecordedLayer => ({
    ...layer,
    entries: entriesWithout(
      layer.entries,
      below.flatMap((each) => each.entries),
    ),
  })
  return {
    system,
    node: above(nodeLayer, system),
    qemu: above(qemu, system),
    'node-tools': above(nodeTools, system, nodeLayer, qemu),
    'import-tools': above(importTools, system, nodeLayer, qemu),
    'task-tools': above(taskTools, system, nodeLayer, qemu),
    libguestfs: above(disks, system, nodeLayer, qemu, taskTools),
    shell: above(shell, system, qemu),
    release: { entries: entries.release, packages: [], unpackaged: [] },
  }
}

async function storeAll(
  layout: LayoutWriter,
  shared: Readonly<Record<SharedLayer, RecordedLayer>>,
  mtime: Date,
): Promise<Readonly<Record<SharedLayer, StoredLayer>>> {
  const store = async (name: SharedLayer): Promise<StoredLayer> => layout.addLayer(await packTar(shared[name].entries, mtime))
  const [system, node, qemu, nodeTools, importTools, taskTools, libguestfs, shell, release] = await Promise.all([
    store('system'),
    store('node'),
    store('qemu'),
    store('node-tools'),
    store('import-tools'),
    store('task-tools'),
    store('libguestfs'),
    store('shell'),
    store('release'),
  ])
  return { system, node, qemu, 'node-tools': nodeTools, 'import-tools': importTools, 'task-tools': taskTools, libguestfs, shell, release }
}

/** Writes all images with their attestations, and completes the layout. */
async function writeAll(options: ImageBuildOptions, build: Build): Promise<readonly WrittenImage[]> {
  const images: WrittenImage[] = []
  const referrers: Descriptor[] = []
  const keep = (image: WrittenImage, attestations: readonly Descriptor[]): void => {
    images.push(image)
    referrers.push(...attestations)
  }
  for (const plan of componentImages(options.qemu.folder, { hasLibguestfs: options.libguestfs !== undefined })) {
    options.onProgress?.(plan.name)
    const image = await writeComponent(options, build, plan)
    keep(image, await attest(build.layout, image, build.facts, partsOf(build, plan)))
  }
  if (options.demoGuest !== undefined) {
    options.onProgress?.('demo-guest')
    const { image, parts } = await writeDemoGuest(options, build, options.demoGuest)
    keep(image, await attest(build.layout, image, build.facts, parts))
  }
  await build.layout.finish([...images.map(({ descriptor }) => descriptor), ...referrers])
  return images
}

async function writeComponent(options: ImageBuildOptions, build: Build, plan: ImagePlan): Promise<WrittenImage> {
  const { layout, created, architecture, facts, stored, programs } = build
  const own = await layout.addLayer(await packTar(programs.get(plan.program)?.entries ?? [], facts.revision.created))
  return writeImage(layout, {
    reference: `${options.registry}/${plan.name}:${options.version}`,
    created,
    architecture,
    user: plan.user,
    environment: [`PATH=${plan.path}`, ...plan.environment],
    entrypoint: plan.entrypoint,
    labels: labelsOf(build, plan.title, options.version),
    layers: [
      ...plan.shared.map((name) => ({ layer: stored[name], description: `steadyvm image build: ${name}` })),
      { layer: own, description: `steadyvm image build: ${plan.name}` },
    ],
  })
}

/** Packages and files of an image, from its layers. */
function partsOf({ shared, programs, lock, node }: Build, { program, shared: layers }: ImagePlan): ImageParts {
  const packages = new Map<string, DebianPackage>(layers.flatMap((each) => shared[each].packages).map((each) => [each.name, each]))
  const unpackaged = new Set(layers.flatMap((each) => shared[each].unpackaged))
  const copies = layers.flatMap((each) => shared[each].entries.flatMap((entry) => (entry.kind === 'copy' ? [entry] : [])))
  return {
    npm: bundledPackages(programs.get(program)?.inputs ?? [], lock),
    ...(layers.includes('node') ? { node: lockedPackage('node_modules/node', lock) } : {}),
    debian: [...packages.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    files: copies.filter(({ from }) => from !== node && unpackaged.has(from)).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

/** The demo guest's image has files only: kernel and initrd, which a VM boots by `kernelBoot`. */
async function writeDemoGuest(
  { registry }: ImageBuildOptions,
  build: Build,
  { tag, folder }: NonNullable<ImageBuildOptions['demoGuest']>,
): Promise<{ readonly image: WrittenImage; readonly parts: ImageParts }> {
  const { layout, created, architecture, facts } = build
  const withServer = existsSync(join(folder, 'boot/initrd-ssh'))
  const paths = ['boot/vmlinuz', 'boot/initrd', ...(withServer ? ['boot/initrd-ssh'] : [])]
  const files = paths.map((path) => ({ path, from: join(folder, path) }))
  const entries = files.map((file): LayerEntry => ({ kind: 'copy', mode: 0o644, ...file }))
  const layer = await layout.addLayer(await packTar(entries, facts.revision.created))
  const image = await writeImage(layout, {
    reference: `${registry}/demo-guest:${tag}`,
    created,
    architecture,
    user: `${USERS.qemu}:${USERS.qemu}`,
    environment: [],
    entrypoint: [],
    labels: labelsOf(build, 'steadyvm demo guest', tag),
    layers: [{ layer, description: 'steadyvm image build: demo-guest' }],
  })
  const { packages } = await withPackageRecords(await filesOfMachine(['/bin/busybox']))
  return { image, parts: { npm: [], debian: packages, files } }
}

function labelsOf({ created, facts: { revision } }: Build, title: string, version: string): Record<string, string> {
  const { commit, isDirty } = revision
  return {
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    ...(commit === undefined ? {} : { 'org.opencontainers.image.revision': isDirty ? `${commit}-dirty` : commit }),
    'org.opencontainers.image.title': title,
    'org.opencontainers.image.version': version,
  }
}

async function readDistribution(): Promise<BuildFacts['distribution']> {
  const text = await readFile('/etc/os-release', 'utf8')
  const field = (name: string): string => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? ''
  return { id: field('ID'), version: field('VERSION_ID') }
}
