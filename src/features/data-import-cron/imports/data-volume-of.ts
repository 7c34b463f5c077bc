import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { sourceOf, urlAtDigest } from '../digest/source-of.ts'
import { names, passedLabels } from '../names.ts'
import { useTime } from './use-time.ts'

/** Parts of an import. */
export interface ImportWish {
  readonly name: string
  readonly digest: string
  /** The profile of the storage class asks for volumes that one node writes. */
  readonly readWriteOnce: boolean
  readonly nowMs: number
}

/**
 * Annotation of StorageProfiles: imports are on volumes that one node writes, as their class wants.
 */
export const readWriteOnceAnnotation = 'cdi.kubevirt.io/useReadWriteOnceForDataImportCron'

/** Returns the DataVolume that imports an image. Pure. */
export function dataVolumeOf(cron: DataImportCron, { name, digest, readWriteOnce, nowMs }: ImportWish): DataVolume {
  const { template } = cron.spec
  const { labels = {}, annotations = {} } = template.metadata ?? {}
  const { storage } = template.spec
  const isOpen = storage !== undefined && (storage.accessModes ?? []).length === 0
  const { [names.retainPod]: retainPod } = cron.metadata.annotations ?? {}
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name,
      namespace: cron.metadata.namespace ?? '',
      labels: { ...labels, ...passedFrom(cron), ...managedLabels(cron) },
      annotations: {
        ...annotations,
        ...(retainPod === undefined ? {} : { [names.retainPod]: retainPod }),
        [names.immediateBinding]: 'true',
        [names.importedDigest]: digest,
        [names.lastUseTime]: useTime(nowMs),
      },
    },
    spec: {
      ...template.spec,
      source: sourceAt(cron, digest),
      ...(readWriteOnce && isOpen ? { storage: { ...storage, accessModes: ['ReadWriteOnce'] } } : {}),
    },
  }
}

/** The image by its digest: a tag may point to another one by the time it is read. */
function sourceAt(cron: DataImportCron, digest: string): DataVolumeSource {
  const source = sourceOf(cron)
  if (source.kind === 'registry') return { registry: { ...source.registry, url: urlAtDigest(source.url, digest) } }
  if (source.kind === 'pvc') return { pvc: source.pvc }
  return { ...cron.spec.template.spec.source }
}

/** Labels of a DataImportCron that its imports and its DataSource get. Pure. */
export function passedFrom({ metadata: { labels = {} } }: DataImportCron): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key, value]) => value !== '' && passedLabels.includes(key)))
}

/** Labels of what belongs to a DataImportCron. Pure. */
export function managedLabels({ metadata, spec }: DataImportCron): Record<string, string> {
  return {
    [names.cronLabel]: metadata.name ?? '',
    ...(spec.retentionPolicy === 'None' ? { [names.cleanupLabel]: 'true' } : {}),
  }
}
