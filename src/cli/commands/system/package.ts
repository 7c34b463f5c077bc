import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { clusterServiceVersionFile, helmChart, olmBundle, packageName, type PackageFiles } from '#features/operator/index.ts'
import { toYaml } from '#apimachinery/json/yaml.ts'
import {
  addRelease,
  CatalogInvalid,
  defaultHyperConverged,
  hyperConvergedManifests,
  type ClusterServiceVersion,
} from '#features/hyperconverged/index.ts'
import { CatalogUnreadable, readCatalog } from '#features/upgrade-graph/index.ts'
import { readHyperConvergedInstallation, readInstallation } from '#cli/cluster/own-manifests.ts'
import { workloadImagesOf } from '#cli/arguments/workload-images.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

/** Writes the Helm chart of this release. Contacts no server. */
export async function helm(this: CliContext, { output, registry }: { output?: string; registry?: string }): Promise<void> {
  const folder = resolve(output ?? 'steadyvm')
  await assertReplaceable(folder)
  await replaceFolder(folder, helmChart(await readInstallation(registry)))
  this.process.stdout.write(`${folder}\n`)
}

/** Flags of the packages for OLM. */
interface OlmFlags {
  readonly output?: string
  readonly registry?: string
  readonly channel?: string
  readonly replaces?: string
  readonly maxOpenShift?: string
  readonly workloadImage?: readonly string[]
}

/** The one of Kubernetes 1.33, with which releases are tested. */
const lastOpenShift = '4.20'
const usualChannel = 'stable'

/** Writes the OLM bundle of this release. Contacts no server. */
export async function olm(this: CliContext, { output, ...flags }: OlmFlags): Promise<void> {
  const folder = resolve(output ?? 'bundle')
  await assertEarlierBundle(folder)
  await replaceFolder(folder, await bundleFiles(flags))
  this.process.stdout.write(`${folder}\n`)
}

interface CatalogFlags extends OlmFlags {
  readonly bundleImage: string
  readonly skips?: readonly string[]
  readonly skipRange?: string
}

/** Adds this release to a file-based catalog of OLM, or begins one. Contacts no server. */
export async function catalog(this: CliContext, { output, bundleImage, skips = [], ...flags }: CatalogFlags): Promise<void> {
  const folder = resolve(output ?? 'catalog')
  const before = await readEarlierCatalog(folder)
  const { channel = usualChannel, replaces, skipRange } = flags
  const bundle = await bundleFiles(flags)
  const clusterServiceVersion = parse(bundle.get(clusterServiceVersionFile) ?? '') as ClusterServiceVersion
  try {
    const objects = addRelease(before, {
      packageName,
      clusterServiceVersion,
      bundleImage,
      channel,
      ...(replaces === undefined ? {} : { replaces: bundleNameOf(replaces) }),
      skips: skips.map(bundleNameOf),
      ...(skipRange === undefined ? {} : { skipRange }),
    })
    await replaceFolder(folder, catalogFiles(objects))
  } catch (error) {
    if (error instanceof CatalogInvalid) throw new CommandError(error.message)
    throw error
  }
  this.process.stdout.write(`${folder}\n`)
}

async function bundleFiles({
  registry,
  channel,
  replaces,
  maxOpenShift,
  workloadImage = [],
}: Omit<OlmFlags, 'output'>): Promise<PackageFiles> {
  return olmBundle({
    ...(await readInstallation(registry)),
    channel: channel ?? usualChannel,
    ...(replaces === undefined ? {} : { replaces }),
    maxOpenShift: maxOpenShift ?? lastOpenShift,
    furtherOperators: hyperConvergedManifests(await readHyperConvergedInstallation(registry, workloadImagesOf(workloadImage))),
    initialization: defaultHyperConverged,
  })
}

const catalogFile = `${packageName}/catalog.yaml`

function catalogFiles(objects: readonly object[]): PackageFiles {
  const dockerfile = [
    '# An image of opm, the program of OLM that serves catalogs.',
    'ARG OPM_IMAGE',
    'FROM ${OPM_IMAGE}',
    'ENTRYPOINT ["/bin/opm"]',
    'CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]',
    `COPY ${packageName} /configs/${packageName}`,
    'RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]',
    'LABEL operators.operatorframework.io.index.configs.v1=/configs',
    '',
  ]
  return new Map([
    [catalogFile, objects.map((object) => `---\n${toYaml(object)}`).join('')],
    ['catalog.Dockerfile', dockerfile.join('\n')],
  ])
}

/** Reads the catalog that is to be continued; empty for a new one. @throws CommandError */
async function readEarlierCatalog(folder: string): Promise<ReturnType<typeof readCatalog>> {
  const entries = await entriesOf(folder)
  if (entries.length === 0) return []
  const path = join(folder, catalogFile)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new CommandError(`"${folder}" exists and is no catalog of steadyvm: remove it, or name another by --output`)
  })
  try {
    return readCatalog(text)
  } catch (error) {
    if (error instanceof CatalogUnreadable) throw new CommandError(`${path}: ${error.message}`)
    throw error
  }
}

function bundleNameOf(version: string): string {
  return `${packageName}.v${version.replace(/^v/, '')}`
}

/** Only an earlier bundle of ours is replaced. @throws CommandError */
async function assertEarlierBundle(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'metadata', 'annotations.yaml'), 'utf8').catch(() => '')
  const isOurs = /bundle\.package\.v1: steadyvm$/m.test(text)
  if (isOurs || (await entriesOf(folder)).length === 0) return
  throw new CommandError(`"${folder}" exists and is no bundle of steadyvm: remove it, or name another by --output`)
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/** Only an earlier chart of ours is replaced. @throws CommandError */
async function assertReplaceable(folder: string): Promise<void> {
  const entries = await entriesOf(folder)
  if (entries.length === 0) return
  const chart = entries.includes('Chart.yaml') ? (parse(await readFile(join(folder, 'Chart.yaml'), 'utf8')) as { name?: unknown }) : {}
  if (chart.name !== 'steadyvm')
    throw new CommandError(`"${folder}" exists and is no chart of steadyvm: remove it, or name another by --output`)
}

/** Writes all files beside the folder first, so that it is complete or as it was. */
async function replaceFolder(folder: string, files: PackageFiles): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const work = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`))
  try {
    const written = join(work, 'new')
    for (const [path, content] of files) {
      await mkdir(dirname(join(written, path)), { recursive: true })
      await writeFile(join(written, path), content)
    }
    await rename(folder, join(work, 'old')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(written, folder)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
