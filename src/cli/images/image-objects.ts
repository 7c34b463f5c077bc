import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { importNames } from '#features/data-import-cron/index.ts'
import { parseHardwareKind } from '../arguments/targets.ts'
import { CommandError } from '../context.ts'
import { formatChecksum, type Checksum, type ImageSource } from './image-source.ts'

/** An import as a user asks for it. */
export interface ImportWish {
  readonly namespace: string
  readonly name: string
  readonly source: ImageSource
  /** Quantity of the disk. */
  readonly size: string
  readonly storageClass?: string
  /** Of an HTTP source: what the user named. Of a file: what was read. */
  readonly checksum?: Checksum
  /** Secret with the credentials of the source. */
  readonly secret?: string
  /** ConfigMap with certificates of authorities. */
  readonly certConfigMap?: string
  readonly defaultInstancetype?: string
  readonly defaultPreference?: string
}

/** Size of disks from servers and registries, whose images are not read before their import. */
export const defaultSize = '10Gi'

/** Labels of DataVolume and DataSource by which VMs infer their hardware. @throws CommandError */
export function hardwareLabels({ defaultInstancetype, defaultPreference }: ImportWish): Record<string, string> {
  return { ...labelsOf('instancetype', defaultInstancetype), ...labelsOf('preference', defaultPreference) }
}

function labelsOf(family: 'instancetype' | 'preference', text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  const { name, kind } = parseHardware(family, text)
  const label = `instancetype.kubevirt.io/default-${family}`
  return { [label]: name, ...(kind === undefined ? {} : { [`${label}-kind`]: kind }) }
}

/** An instance type or a preference. Without a kind, it is the cluster-wide one. */
export interface HardwareReference {
  readonly name: string
  readonly kind?: string
}

/** Reads `NAME` or `KIND/NAME` of an instance type or a preference. @throws CommandError */
export function parseHardware(family: 'instancetype' | 'preference', text: string): HardwareReference {
  const parts = text.split('/')
  const name = parts.at(-1) ?? ''
  const found = parts.length === 2 ? parseHardwareKind(parts[0] ?? '') : undefined
  if (name === '' || parts.length > 2 || (parts.length === 2 && found?.family !== family))
    throw new CommandError(
      `"${text}" names no ${family}: write NAME or KIND/NAME, such as ${family === 'instancetype' ? 'vmf' : 'vmp'}/web`,
    )
  return { name, ...(found?.kind === undefined ? {} : { kind: found.kind }) }
}

/** Returns the source of a DataVolume. Pure. */
export function dataVolumeSource({
  source,
  checksum,
  secret,
  certConfigMap,
}: Pick<ImportWish, 'source' | 'checksum' | 'secret' | 'certConfigMap'>): DataVolumeSource {
  const access = {
    ...(secret === undefined ? {} : { secretRef: secret }),
    ...(certConfigMap === undefined ? {} : { certConfigMap }),
  }
  switch (source.kind) {
    case 'http':
      return { http: { url: source.url, ...(checksum === undefined ? {} : { checksum: formatChecksum(checksum) }), ...access } }
    case 'registry':
      return { registry: { url: source.url, ...access } }
    case 'file':
      return { upload: {} }
  }
}

/** Returns the DataVolume of an import. It has the name of its DataSource. @throws CommandError */
export function importedDataVolume(wish: ImportWish): DataVolume {
  const { namespace, name, source, checksum, size, storageClass } = wish
  const isDigest = source.kind === 'file' && checksum !== undefined
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name,
      namespace,
      labels: hardwareLabels(wish),
      annotations: {
        // Images are complete before the first VM wants them, also on classes that bind late.
        [importNames.immediateBinding]: 'true',
        ...(isDigest ? { [importNames.importedDigest]: formatChecksum(checksum) } : {}),
      },
    },
    spec: {
      source: dataVolumeSource(wish),
      storage: {
        resources: { requests: { storage: size } },
        ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
      },
    },
  }
}

/** Returns the DataSource of an import. @throws CommandError */
export function importedDataSource(wish: ImportWish): DataSource {
  const { namespace, name } = wish
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataSource',
    metadata: { name, namespace, labels: hardwareLabels(wish) },
    spec: { source: { pvc: { namespace, name } } },
  }
}

/**
 * Says why an existing DataVolume is not the import that is wanted; undefined if it is, so that the
 * same command follows it again. Pure.
 */
export function whyAnotherImport(existing: DataVolume, wanted: DataVolume): string | undefined {
  if (!semanticEqual(existing.spec.source, wanted.spec.source)) return 'it has another source'
  const digestOf = ({ metadata }: DataVolume): string | undefined => metadata.annotations?.[importNames.importedDigest]
  return digestOf(existing) === digestOf(wanted) ? undefined : 'it was begun with another file'
}

/** Says why an existing DataSource is not that of the import. Pure. */
export function whyAnotherDataSource({ metadata, spec }: DataSource, { namespace, name }: ImportWish): string | undefined {
  const cron = metadata.labels?.[importNames.cronLabel]
  if (cron !== undefined) return `the DataImportCron "${cron}" keeps it`
  const { pvc } = spec.source
  if (pvc?.name === name && (pvc.namespace || namespace) === namespace) return undefined
  return `it leads to ${pvc === undefined ? 'something else' : `the volume "${pvc.namespace}/${pvc.name}"`}`
}
