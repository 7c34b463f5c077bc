import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import type { Manifest } from '#features/plan/index.ts'
import { CommandError, type CliContext } from '../context.ts'

/**
 * Reads the objects of files, of all files of a folder, and of standard input for `-`. Lists are
 * flattened. @throws CommandError
 */
export async function readManifests(context: CliContext, paths: readonly string[]): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const path of paths) {
    for (const [source, content] of await contentsOf(context, path)) manifests.push(...parse(source, content))
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

function parse(source: string, content: string): Manifest[] {
  const documents = parseAllDocuments(content)
  const list = 'empty' in documents ? [] : documents
  return list.flatMap((document) => {
    const [problem] = document.errors
    if (problem !== undefined) throw new CommandError(`Cannot parse "${source}": ${problem.message}`)
    return objectsIn(source, document.toJS({ maxAliasCount: 100 }))
  })
}

function objectsIn(source: string, value: unknown): Manifest[] {
  if (value === null || value === undefined) return []
  const object = value as Partial<Manifest> & { items?: unknown[] }
  if (Array.isArray(object.items)) return object.items.flatMap((item) => objectsIn(source, item))
  if (typeof object === 'object' && typeof object.kind === 'string' && typeof object.metadata?.name === 'string')
    return [object as Manifest]
  throw new CommandError(`Cannot use an object of "${source}": it must have a kind and a metadata.name`)
}
