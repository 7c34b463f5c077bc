import { dataImportCrons, dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { found } from '#client/found.ts'
import { importNames } from '#features/data-import-cron/index.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { importsOf, type ImportRow } from '#cli/images/import-history.ts'
import { readableSize } from '#cli/images/image-size.ts'
import { formatAge } from '#cli/render/age.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { table } from '#cli/render/terminal.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly output: OutputFormat
}

/** Lists the imports of a DataImportCron. */
export async function history(this: CliContext, flags: Flags, name: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const namespace = flags.namespace ?? cluster.namespace
  const cron = await cronOf(cluster, namespace, name)
  const labelSelector = `${importNames.cronLabel}=${cron.metadata.name ?? ''}`
  const managed = cron.spec.managedDataSource ?? ''
  const [dataSource, volumes, claims] = await Promise.all([
    managed === '' ? undefined : found(cluster.client.get(dataSources, { namespace, name: managed })),
    cluster.client.list(dataVolumes, { namespace, labelSelector }),
    cluster.client.list(persistentVolumeClaims, { namespace, labelSelector }),
  ])
  const imports = importsOf({ cron, dataSource, dataVolumes: volumes.items, claims: claims.items })
  if (imports.length === 0) this.process.stderr.write(`The DataImportCron "${namespace}/${cron.metadata.name ?? ''}" has no imports yet.\n`)
  const pin = cron.metadata.annotations?.[importNames.pin] ?? ''
  if (pin !== '' && !imports.some(({ isPinned }) => isPinned))
    this.process.stderr.write(`note: it is pinned to ${pin}, which is not there\n`)
  print(this, flags.output, {
    kind: 'ImageHistory',
    document: { namespace, dataImportCron: cron.metadata.name, dataSource: managed, ...(pin === '' ? {} : { pin }), imports },
    names: imports.map((each) => `datavolume.cdi.kubevirt.io/${each.name}`),
    text: () =>
      imports.length === 0
        ? ''
        : table([
            ['IMPORT', 'STATE', 'PHASE', 'SIZE', 'BOOT', 'DIGEST', 'AGE'],
            ...imports.map((each) => [
              each.name,
              stateOf(each),
              each.phase,
              readableSize(each.size),
              each.boot,
              each.digest,
              formatAge(each.createdAt, this.now()),
            ]),
          ]),
  })
}

function stateOf({ isSelected, isPinned, isNewest }: ImportRow): string {
  return [...(isSelected ? ['selected'] : []), ...(isPinned ? ['pinned'] : []), ...(isNewest ? ['newest'] : [])].join(',')
}

/** Finds a DataImportCron by its name, or by that of its DataSource. @throws CommandError */
async function cronOf({ client }: ChosenCluster, namespace: string, name: string): Promise<DataImportCron> {
  const cron = await found(client.get(dataImportCrons, { namespace, name }))
  if (cron !== undefined) return cron
  const dataSource = await found(client.get(dataSources, { namespace, name }))
  const owner = dataSource?.metadata.labels?.[importNames.cronLabel]
  if (owner !== undefined) return client.get(dataImportCrons, { namespace, name: owner })
  throw new CommandError(
    dataSource === undefined
      ? `No DataImportCron or DataSource is named "${namespace}/${name}"`
      : `No DataImportCron keeps the DataSource "${namespace}/${name}": it was imported once`,
  )
}
