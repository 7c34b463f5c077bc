import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { readPipelineManifest, readTaskManifest, type PipelineSpec, type TaskSpec } from '#features/pipeline-run/index.ts'
import { REGISTRY, thisRelease } from '#machine/release/release.ts'
import { CommandError } from '../context.ts'

/** A Task that is shipped with this release. */
export interface ShippedTask {
  readonly name: string
  readonly manifest: object
  readonly spec: TaskSpec
}

/** Image of the shipped tasks, which also collects results. */
export const tasksImage = 'steadyvm-tasks'

const folder = (): string => join(thisRelease().root, 'manifests', 'tekton')

/** Reads all shipped Tasks by name. `registry` has their images. */
export async function readCatalogue(registry: string = REGISTRY): Promise<ReadonlyMap<string, ShippedTask>> {
  const files = (await readdir(join(folder(), 'tasks'))).filter((file) => file.endsWith('.yaml')).toSorted()
  const tasks = await Promise.all(
    files.map(async (file): Promise<readonly ShippedTask[]> => {
      const text = await readFile(join(folder(), 'tasks', file), 'utf8')
      return documentsIn(text.replaceAll(`image: ${REGISTRY}/`, `image: ${registry}/`)).map((manifest) => {
        const { name } = (manifest as { metadata: { name: string } }).metadata
        return { name, manifest, spec: readTaskManifest(`Task "${name}" of this release`, manifest) }
      })
    }),
  )
  return new Map(tasks.flat().map((task) => [task.name, task]))
}

/** Lists the names of the shipped Tasks, for completion. */
export async function shippedNames(): Promise<readonly string[]> {
  return (await readdir(join(folder(), 'tasks'))).filter((file) => file.endsWith('.yaml')).map((file) => file.slice(0, -'.yaml'.length))
}

/** Returns a shipped Task. @throws CommandError */
export function shippedTask(catalogue: ReadonlyMap<string, ShippedTask>, name: string): ShippedTask {
  const task = catalogue.get(name)
  if (task !== undefined) return task
  throw new CommandError(`There is no task "${name}"; there are ${[...catalogue.keys()].join(', ')}`)
}

/** Returns the name of the ServiceAccount with the rights of a shipped Task. */
export function taskAccount(name: string): string {
  return `${name}-task`
}

/** Reads a shipped Pipeline; undefined when there is none of the name. */
export async function readShippedPipeline(name: string): Promise<PipelineSpec | undefined> {
  const files = (await readdir(join(folder(), 'pipelines'))).filter((file) => file.endsWith('.yaml'))
  const documents = await Promise.all(files.map(async (file) => documentsIn(await readFile(join(folder(), 'pipelines', file), 'utf8'))))
  const found = documents.flat().find((document) => {
    const { kind, metadata } = document as { kind?: string; metadata?: { name?: string } }
    return kind === 'Pipeline' && metadata?.name === name
  })
  return found === undefined ? undefined : readPipelineManifest(`Pipeline "${name}" of this release`, found)
}

/**
 * Reads the ServiceAccount, Role and RoleBinding of a shipped Task; empty for one that has none.
 */
export async function readAccess(name: string): Promise<readonly object[]> {
  try {
    return documentsIn(await readFile(join(folder(), 'rbac', `${name}.yaml`), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function documentsIn(text: string): readonly object[] {
  const documents = parseAllDocuments(text)
  return 'empty' in documents ? [] : documents.map((document) => document.toJS() as object | null).filter((object) => object !== null)
}
