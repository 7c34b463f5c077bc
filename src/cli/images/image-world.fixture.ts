import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ImageLookup } from './image-report.ts'

const cdi = { apiVersion: 'cdi.kubevirt.io/v1beta1' } as const

/** A DataSource `ns/NAME` that leads to a claim of that namespace. */
export function dataSourceOf(name: string, pvc = name, labels: Record<string, string> = {}): DataSource {
  return {
    ...cdi,
    kind: 'DataSource',
    metadata: { namespace: 'ns', name, labels },
    spec: { source: { pvc: { namespace: 'ns', name: pvc } } },
  }
}

/** A DataVolume `ns/NAME`, complete unless told otherwise. */
export function dataVolumeOf(
  name: string,
  { spec = {}, status = { phase: 'Succeeded', progress: '100.0%' }, ...metadata }: Partial<Omit<DataVolume, 'metadata'>> & ObjectMeta = {},
): DataVolume {
  return {
    ...cdi,
    kind: 'DataVolume',
    metadata: { namespace: 'ns', name, ...metadata },
    spec: { source: { upload: {} }, storage: { resources: { requests: { storage: '5Gi' } } }, ...spec },
    status,
  }
}

/** A claim `ns/NAME`. */
export function claimOf(name: string, metadata: ObjectMeta = {}): PersistentVolumeClaim {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'ns', name, ...metadata } }
}

/** A DataImportCron `ns/NAME` that manages the DataSource `fedora`. */
export function cronOf(name: string, annotations: Record<string, string> = {}): DataImportCron {
  return {
    ...cdi,
    kind: 'DataImportCron',
    metadata: { namespace: 'ns', name, annotations },
    spec: { schedule: '', managedDataSource: 'fedora', template: { spec: {} } },
  }
}

/** Looks objects up by namespace and name. */
export function lookupIn({
  dataVolumes = [],
  claims = [],
  crons = [],
}: {
  readonly dataVolumes?: readonly DataVolume[]
  readonly claims?: readonly PersistentVolumeClaim[]
  readonly crons?: readonly DataImportCron[]
}): ImageLookup {
  const among =
    <T extends { readonly metadata: ObjectMeta }>(items: readonly T[]) =>
    (namespace: string, name: string): T | undefined =>
      items.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
  return {
    dataSource: () => undefined,
    dataVolume: among(dataVolumes),
    claim: among(claims),
    cron: among(crons),
    snapshot: () => undefined,
  }
}
