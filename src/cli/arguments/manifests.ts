import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import type { Manifest } from '#features/plan/index.ts'
import { CommandError, type CliContext } from '../context.ts'

/** Which objects are read. */
export interface ManifestRules {
  /** True if objects may have a `generateName` in place of a name. */
  readonly areNamesGenerated?: boolean
}

/**
 * Reads the objects of files, of all files of a folder, and of standard input for `-`. Lists are
 * flattened. @throws CommandError
 */
export async function readManifests(context: CliContext, paths: readonly string[], rules: ManifestRules = {}): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const path of paths) {
    for (const [source, content] of await contentsOf(context, path)) manifests.push(...parse(source, content, rules))
  }
  return manifests
}

async function contentsOf(context: CliContext, path: string): Promise<[string, string][]> {
  if (path === '-') return [['standard input', await text(context.process.stdin)]]
  try {
    if (!(await stat(path)).isDirectory()) return [[path, await readFile(path, 'utf8')]]
    const files = (await readdir(path)).filter((file) => /\.(ya?ml|json)$/.test(file)).toSorted()
    return await Promise.all(
      files.map(async (file): Promise<[string, string]> => [join(path, file), await readFile(join(path, file), 'utf8')]),
    )
  } catch (cause) {
    throw new CommandError(`Cannot read "${path}": ${(cause as Error).message}`, undefined, { cause })
  }
}

function parse(source: string, content: string, rules: ManifestRules): Manifest[] {
  const documents = parseAllDocuments(content)
  const list = 'empty' in documents ? [] : documents
  return list.flatMap((document) => {
    const [problem] = document.errors
    if (problem !== undefined) throw new CommandError(`Cannot parse "${source}": ${problem.message}`)
    return objectsIn(source, document.toJS({ maxAliasCount: 100 }), rules)
  })
}

function objectsIn(source: string, value: unknown, rules: ManifestRules): Manifest[] {
  if (value === null || value === undefined) return []
  const object = value as Partial<Manifest> & { items?: unknown[] }
  if (Array.isArray(object.items)) return object.items.flatMap((item) => objectsIn(source, item, rules))
  if (typeof object === 'object' && typeof object.kind === 'string') {
    const { name, generateName } = (object.metadata ?? {}) as Readonly<Record<string, unknown>>
    if (typeof name === 'string' || (rules.areNamesGenerated === true && typeof generateName === 'string')) return [object as Manifest]
  }
  throw new CommandError(`Cannot use an object of "${source}": it must have a kind and a metadata.name`)
}
