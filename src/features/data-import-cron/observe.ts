import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import { resolveSource, type Resolution } from '#features/data-source/index.ts'
import { defaultStorageClass } from '#features/storage-profile/index.ts'
import { importDeadlineMs, type Observed, type Stranger } from './decide.ts'
import { pollerName } from './digest/poller.ts'
import { sourceOf } from './digest/source-of.ts'
import { importOf, type Import } from './imports/import.ts'
import { names } from './names.ts'
import { ownershipOf, type Ownership } from './ownership.ts'
import { byCron, byNamedClaim, type Ports } from './ports.ts'
import { bootName } from './verification/boot-objects.ts'

/** Reads all that belongs to a DataImportCron. */
export function observe(ports: Ports, cron: DataImportCron): Observed {
  const { namespace = '' } = cron.metadata
  const nowMs = ports.clock.now()
  const source = sourceOf(cron)
  const imports = importsOf(ports, cron, nowMs)
  const boot = bootName(cron)
  const alias = cron.metadata.annotations?.[names.defaultDataSource]
  return {
    cron,
    nowMs,
    source,
    ownership: ownershipIn(ports, cron, cron.spec.managedDataSource ?? ''),
    alias: alias === undefined ? undefined : { name: alias, ownership: ownershipIn(ports, cron, alias) },
    imports,
    storageClass: storageClassOf(ports, cron),
    inUse: new Set([...imports.keys()].filter((name) => isInUse(ports, `${namespace}/${name}`))),
    poller: ports.pollers.get(namespace, pollerName(cron)),
    sourceClaimUid: source.kind === 'pvc' ? ports.claims.get(source.pvc.namespace, source.pvc.name)?.metadata.uid : undefined,
    boot: { vm: ports.vms.get(namespace, boot), copy: ports.dataVolumes.get(namespace, boot), vmi: ports.vmis.get(namespace, boot) },
    strangerOf: (name) => strangerOf(ports, cron, name),
  }
}

function ownershipIn(ports: Ports, cron: DataImportCron, name: string): Ownership {
  const { namespace = '' } = cron.metadata
  const dataSource = ports.dataSources.get(namespace, name)
  const label = dataSource?.metadata.labels?.[names.cronLabel] ?? ''
  return ownershipOf({
    cron,
    dataSource,
    resolution: dataSource === undefined ? undefined : resolutionOf(ports, dataSource),
    otherCron: label === '' || label === cron.metadata.name ? undefined : ports.crons.get(namespace, label),
  })
}

function strangerOf({ dataVolumes, claims, crons }: Ports, { metadata }: DataImportCron, name: string): Stranger | undefined {
  const { namespace = '' } = metadata
  const [dataVolume, claim] = [dataVolumes.get(namespace, name), claims.get(namespace, name)]
  const object = dataVolume ?? claim
  if (object === undefined) return undefined
  const label = object.metadata.labels?.[names.cronLabel] ?? ''
  return { dataVolume, claim, isLeft: label !== '' && crons.get(namespace, label) === undefined }
}

function importsOf({ dataVolumes, claims }: Ports, cron: DataImportCron, nowMs: number): ReadonlyMap<string, Import> {
  const { namespace = '', name = '' } = cron.metadata
  const key = `${namespace}/${name}`
  const found = [...dataVolumes.byIndex(byCron, key), ...claims.byIndex(byCron, key)].map(({ metadata }) => metadata.name ?? '')
  const time = { nowMs, deadlineMs: importDeadlineMs(cron) }
  return new Map(
    found.map((each) => [each, importOf(each, { dataVolume: dataVolumes.get(namespace, each), claim: claims.get(namespace, each) }, time)]),
  )
}

function resolutionOf({ dataSources, dataVolumes, claims }: Ports, dataSource: DataSource): Resolution {
  return resolveSource(dataSource, {
    dataSource: (namespace, name) => dataSources.get(namespace, name),
    dataVolume: (namespace, name) => dataVolumes.get(namespace, name),
    claim: (namespace, name) => claims.get(namespace, name),
    // Snapshots are not watched. One that is named is not "nowhere".
    snapshot: (namespace, name) => ({ metadata: { namespace, name }, status: { readyToUse: true } }),
  })
}

/** The class of claims of the template: `pvc` gets Kubernetes' default, `storage` that of disks. */
function storageClassOf({ classes }: Ports, { spec }: DataImportCron): string | undefined {
  const { storage, pvc } = spec.template.spec
  const named = storage?.storageClassName ?? pvc?.storageClassName
  if (named !== undefined) return named === '' ? undefined : named
  return defaultStorageClass(classes.list(), pvc === undefined ? 'kubevirt' : 'archive')?.metadata.name
}

/** Reports whether a DataSource names a claim, or a volume is being filled from it. */
function isInUse({ dataSources, dataVolumes, claims }: Ports, claim: string): boolean {
  return [dataSources, dataVolumes, claims].some((lister) => lister.byIndex(byNamedClaim, claim).length > 0)
}
