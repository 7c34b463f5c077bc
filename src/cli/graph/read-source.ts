import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { CatalogUnreadable, readCatalogFiles, type CatalogContents, type CatalogFile } from '#features/upgrade-graph/index.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { createIgnoredFiles, ignoreFileName, type IgnoredFiles } from './ignored-files.ts'

/**
 * Reads a catalog from a file, from a folder with all below it but what `.indexignore` names, or
 * from standard input for `-`. @throws CommandError
 */
export async function readSource(context: CliContext, source: string): Promise<CatalogContents> {
  try {
    return readCatalogFiles(await readFiles(context, source))
  } catch (error) {
    if (error instanceof CatalogUnreadable)
      throw new CommandError(`${source === '-' ? 'Standard input' : source} is no catalog: ${error.message}`)
    throw error
  }
}

async function readFiles(context: CliContext, source: string): Promise<readonly CatalogFile[]> {
  if (source === '-') return [{ path: '', text: await textOf(context.process.stdin) }]
  const found = await stat(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new CommandError(`There is no "${source}": name a catalog, which is a file, a folder, or - for standard input`)
  })
  if (!found.isDirectory()) return [{ path: source, text: await readText(source) }]
  const files = await catalogFilesIn(source)
  if (files.length === 0) throw new CommandError(`The folder "${source}" has no file of a catalog`)
  return files
}

/**
 * Reads the files of a catalog below a folder, in the order of their names. @throws CommandError
 */
export async function catalogFilesIn(folder: string): Promise<readonly CatalogFile[]> {
  const paths = await collect(folder, '', createIgnoredFiles())
  return Promise.all(paths.map(async (path) => ({ path: join(folder, path), text: await readText(join(folder, path)) })))
}

/** Files of a catalog are text; anything else is refused before it fills the screen. */
async function readText(path: string): Promise<string> {
  const bytes = await readFile(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CommandError(`${path} is no text: a catalog has YAML and JSON only; name other files in ${ignoreFileName}`)
  }
}

/** Paths of the files of a catalog below a folder, relative to the root. */
async function collect(root: string, folder: string, rules: IgnoredFiles): Promise<readonly string[]> {
  const entries = (await readdir(join(root, folder), { withFileTypes: true })).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  if (entries.some(({ name }) => name === ignoreFileName)) rules.add(folder, await readText(join(root, folder, ignoreFileName)))
  const files: string[] = []
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name === ignoreFileName) continue
    if (entry.isDirectory()) files.push(...(await collect(root, path, rules)))
    else if (!rules.isIgnored(path)) files.push(path)
  }
  return files
}
