import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { helmChart, olmBundle, type PackageFiles } from '#features/operator/index.ts'
import { readInstallation } from '#cli/cluster/own-manifests.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

/** Writes the Helm chart of this release. Contacts no server. */
export async function helm(this: CliContext, { output, registry }: { output?: string; registry?: string }): Promise<void> {
  const folder = resolve(output ?? 'steadyvm')
  await assertReplaceable(folder)
  await replaceFolder(folder, helmChart(await readInstallation(registry)))
  this.process.stdout.write(`${folder}\n`)
}

interface OlmFlags {
  readonly output?: string
  readonly registry?: string
  readonly channel?: string
  readonly replaces?: string
}

/** Writes the OLM bundle of this release. Contacts no server. */
export async function olm(this: CliContext, { output, registry, channel, replaces }: OlmFlags): Promise<void> {
  const folder = resolve(output ?? 'bundle')
  await assertEarlierBundle(folder)
  const installation = await readInstallation(registry)
  const files = olmBundle({ ...installation, channel: channel ?? 'stable', ...(replaces === undefined ? {} : { replaces }) })
  await replaceFolder(folder, files)
  this.process.stdout.write(`${folder}\n`)
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
