import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { countObjects, isOutdated, migrateStorage, servedResource, storedVersionsOf, type Migration } from '#features/api-versions/index.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { EXIT, type CliContext } from '#cli/context.ts'
import { table } from '#cli/render/terminal.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { progressBar, progressOn, type Progress } from '#cli/render/progress.ts'

interface Flags extends ClusterFlags {
  readonly dryRun: boolean
  readonly output: OutputFormat
}

/** Concurrent requests: enough to hide latency, few enough not to starve other clients. */
const concurrency = 8

/** Result of the migration of one CRD, or with `--dry-run` its prediction. */
interface Row extends Omit<Migration, 'outcome'> {
  readonly outcome: Migration['outcome'] | 'current' | 'pending'
}

/**
 * Rewrites stored objects in the storage version. Exit code 2 when some could not be migrated, or
 * with `--dry-run` need to be.
 */
export async function migrate(this: CliContext, flags: Flags, ...names: string[]): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  using progress = progressOn(this)
  const { client } = cluster
  const rows: Row[] = []
  for (const definition of await chosen(client, names)) {
    rows.push(flags.dryRun ? await foresee(client, definition) : await settle(client, definition, { signal: this.signal, progress }))
  }
  progress[Symbol.dispose]()
  print(this, flags.output, {
    kind: 'StorageMigration',
    document: { definitions: rows },
    names: rows.map(({ definition }) => `customresourcedefinition.apiextensions.k8s.io/${definition}`),
    text: () => render(rows),
  })
  if (rows.some(({ outcome }) => outcome !== 'migrated' && outcome !== 'current')) this.process.exitCode = EXIT.findings
}

/** Returns the named CRDs, or all of ours that have objects in an older version. */
async function chosen(client: Pick<Client, 'get' | 'list'>, names: readonly string[]): Promise<readonly CustomResourceDefinition[]> {
  if (names.length > 0) return Promise.all(names.map((name) => client.get(customResourceDefinitions, { name })))
  return (await client.list(customResourceDefinitions)).items.filter(isOutdated)
}

async function foresee(client: Pick<Client, 'list'>, definition: CustomResourceDefinition): Promise<Row> {
  const { storage, stale } = storedVersionsOf(definition)
  const about = { definition: definition.metadata.name ?? '', from: stale, to: storage, refusals: [] }
  if (stale.length === 0) return { ...about, objects: 0, outcome: 'current' }
  const resource = servedResource(definition)
  if (resource === undefined) return { ...about, objects: 0, outcome: 'unserved' }
  return { ...about, objects: await countObjects(client, resource), outcome: 'pending' }
}

async function settle(
  client: Pick<Client, 'get' | 'list' | 'patch'>,
  definition: CustomResourceDefinition,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: Progress },
): Promise<Row> {
  const { storage, stale } = storedVersionsOf(definition)
  const { name = '' } = definition.metadata
  if (stale.length === 0) return { definition: name, from: stale, to: storage, objects: 0, refusals: [], outcome: 'current' }
  const onProgress = (done: number, total: number): void => progress.show(`${name} ${progressBar(done, total)}`)
  return migrateStorage(client, definition, { concurrency, signal, onProgress })
}

function render(rows: readonly Row[]): string {
  if (rows.length === 0) return 'All objects are stored in the versions of today.\n'
  const lines = rows.map(({ definition, from, to, objects, outcome }) => [
    definition,
    from.length === 0 ? to : `${from.join(', ')} → ${to}`,
    String(objects),
    words[outcome],
  ])
  const refusals = rows.flatMap(({ definition, refusals: all }) =>
    all.map(({ object, message }) => `${definition} ${object}: ${message}\n`),
  )
  return [table([['DEFINITION', 'STORED AS', 'OBJECTS', 'RESULT'], ...lines]), ...refusals].join('')
}

const words: Readonly<Record<Row['outcome'], string>> = {
  migrated: 'migrated',
  current: 'nothing to do',
  pending: 'to be migrated',
  refused: 'not all could be written; the old version stays',
  changed: 'the definition has changed meanwhile: run it again',
  unserved: 'no version is served, so that nothing can be read',
}
