import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { usersOf } from '#cli/images/image-users.ts'
import { readConsumers } from '#cli/images/read-images.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly dryRun: boolean
  readonly output: OutputFormat
}

/** An object that is removed. */
interface Removed {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
}

/**
 * Removes DataSources with their images. All of them are checked before the first one is removed.
 */
export async function remove(this: CliContext, flags: Flags, ...names: readonly string[]): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const namespace = flags.namespace ?? cluster.namespace
  const chosen = await Promise.all([...new Set(names)].map((name) => cluster.client.get(dataSources, { namespace, name })))
  const { consumers, isWhole } = await readConsumers(cluster.client, namespace)
  if (!isWhole) this.process.stderr.write(`warning: VMs of other namespaces cannot be read; those that use the image lose it\n`)
  const refused = chosen.flatMap((dataSource) => {
    const users = usersOf({ dataSource, claim: claimOf(dataSource, namespace) }, consumers)
    return users.length === 0
      ? []
      : [`"${namespace}/${dataSource.metadata.name ?? ''}" is in use:\n${users.map((each) => `  ${each}\n`).join('')}`]
  })
  if (refused.length > 0) throw new CommandError(`Nothing is removed. ${refused.join('')}`.trimEnd(), EXIT.refused)
  const removed: Removed[] = []
  for (const dataSource of chosen) removed.push(...(await removeImage(this, cluster, { dataSource, namespace, dryRun: flags.dryRun })))
  const done = removed.map(
    ({ resource, object }) =>
      `${resource.kind.toLowerCase()}${resource.group === '' ? '' : `.${resource.group}`}/${object.metadata?.name ?? ''}`,
  )
  print(this, flags.output, {
    kind: 'ImageRemoval',
    document: { dryRun: flags.dryRun, namespace, removed: done },
    names: done,
    text: () => done.map((each) => `${each} deleted${flags.dryRun ? ' (dry run)' : ''}\n`).join(''),
  })
}

function claimOf({ spec }: DataSource, namespace: string): { readonly namespace: string; readonly name: string } | undefined {
  const { pvc } = spec.source
  return pvc === undefined ? undefined : { namespace: pvc.namespace || namespace, name: pvc.name }
}

interface Order {
  readonly dataSource: DataSource
  readonly namespace: string
  readonly dryRun: boolean
}

/** The DataSource goes first, so that no VM is made from an image that is going. */
async function removeImage(
  context: CliContext,
  { client }: ChosenCluster,
  { dataSource, namespace, dryRun }: Order,
): Promise<readonly Removed[]> {
  const claim = claimOf(dataSource, namespace)
  const isOwn = claim !== undefined && claim.namespace === namespace
  if (!isOwn)
    context.process.stderr.write(
      `note: what the DataSource "${dataSource.metadata.name ?? ''}" names is no volume of this namespace, and stays\n`,
    )
  const dataVolume = isOwn ? await found(client.get(dataVolumes, claim)) : undefined
  const volume = isOwn && dataVolume === undefined ? await found(client.get(persistentVolumeClaims, claim)) : undefined
  const removed: readonly Removed[] = [
    { resource: dataSources, object: dataSource },
    ...(dataVolume === undefined ? [] : [{ resource: dataVolumes, object: dataVolume }]),
    ...(volume === undefined ? [] : [{ resource: persistentVolumeClaims, object: volume }]),
  ]
  for (const { resource, object } of removed) {
    const { name = '', uid } = object.metadata ?? {}
    try {
      await client.delete(resource, { namespace, name }, { dryRun, ...(uid === undefined ? {} : { preconditions: { uid } }) })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return removed
}
