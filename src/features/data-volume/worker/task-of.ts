import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import { workerClientName } from '#features/certificates/index.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { ImportSettings } from '#features/storage-profile/index.ts'
import type { ImportSource, ImportTask } from '#importer/index.ts'
import { isRemote, type FillOrder } from '../fill/order.ts'
import { kindOf } from '../source/source.ts'

/** Where a worker finds volumes. */
export const volumePaths = {
  target: '/run/importer/target',
  targetDevice: '/dev/steadyvm-import-target',
  source: '/run/importer/source',
  sourceDevice: '/dev/steadyvm-import-source',
} as const

/** File of a disk on a file system. */
export const imageName = 'disk.img'

/** Returns the task of the worker that fills a claim. Pure. */
export function taskOf(order: FillOrder, settings: Pick<ImportSettings, 'overheadOf' | 'insecureRegistries'>): ImportTask {
  const { claim, copied, contentType } = order
  const isBlock = claim.spec?.volumeMode === 'Block'
  const size = claim.status?.capacity?.['storage'] ?? claim.spec?.resources?.requests?.['storage'] ?? '0'
  return {
    source: sourceOf(order, settings.insecureRegistries),
    contentType,
    target: isBlock ? volumePaths.targetDevice : `${volumePaths.target}/${imageName}`,
    volumeBytes: Number(quantityToBytes(parseQuantity(size))),
    overhead: isBlock ? 0 : overheadFor(settings.overheadOf(claim.spec?.storageClassName), copied !== undefined),
    preallocation: order.preallocation,
  }
}

/** A guest may have grown the disk that is copied by KubeVirt's share, which is smaller. */
function overheadFor(overhead: number, isCopy: boolean): number {
  return isCopy ? Math.min(overhead, 0.055) : overhead
}

function sourceOf(order: FillOrder, insecureRegistries: readonly string[]): ImportSource {
  const { source, copied, contentType } = order
  const { http, s3, registry } = source
  if (http !== undefined) {
    const { url, checksum, extraHeaders = [], insecureSkipVerify = false } = http
    return {
      kind: 'http',
      url,
      headers: extraHeaders,
      insecureSkipVerify,
      ...(checksum === undefined || checksum === '' ? {} : { checksum }),
    }
  }
  if (s3 !== undefined) return { kind: 's3', url: s3.url }
  if (registry !== undefined) {
    const { url = '', platform } = registry
    const architecture = platform?.architecture ?? ''
    const insecureSkipVerify = insecureRegistries.includes(hostOf(url))
    return { kind: 'registry', url, insecureSkipVerify, ...(architecture === '' ? {} : { architecture }) }
  }
  if (copied !== undefined) {
    if (isRemote(order)) return { kind: 'peer', controller: workerClientName }
    if (copied.spec?.volumeMode === 'Block') return { kind: 'clone', path: volumePaths.sourceDevice }
    return { kind: 'clone', path: contentType === 'archive' ? volumePaths.source : `${volumePaths.source}/${imageName}` }
  }
  return { kind: kindOf(source) === 'upload' ? 'upload' : 'blank' }
}

/** `docker://host:5000/image:tag` → `host:5000`. */
function hostOf(url: string): string {
  return /^[a-z-]+:\/\/([^/]*)/.exec(url)?.[1] ?? ''
}

/** Secrets and ConfigMaps that a worker gets as files. */
export interface SourceFiles {
  readonly credentials?: string
  readonly headers: readonly string[]
  readonly authorities?: string
}

/** Returns the objects that a source names. Pure. */
export function sourceFilesOf({ http, s3, registry }: DataVolumeSource): SourceFiles {
  const { secretRef = '', certConfigMap = '' } = http ?? s3 ?? registry ?? {}
  return {
    ...(secretRef === '' ? {} : { credentials: secretRef }),
    ...(certConfigMap === '' ? {} : { authorities: certConfigMap }),
    headers: http?.secretExtraHeaders ?? [],
  }
}
