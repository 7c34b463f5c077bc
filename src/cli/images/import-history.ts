import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { importNames } from '#features/data-import-cron/index.ts'
import { digestOf, sizeOf } from './image-report.ts'

/** An import of a DataImportCron. */
export interface ImportRow {
  readonly name: string
  readonly digest: string
  readonly size: string
  readonly phase: string
  /** The DataSource names it. */
  readonly isSelected: boolean
  /** The DataImportCron is pinned to it. */
  readonly isPinned: boolean
  /** It has the digest that the source had when it was last looked up. */
  readonly isNewest: boolean
  /** Result of the boot that verified it: `passed`, `failed`, or empty. */
  readonly boot: string
  readonly createdAt: string | undefined
}

/** Objects of a DataImportCron. */
export interface CronObjects {
  readonly cron: DataImportCron
  readonly dataSource: DataSource | undefined
  readonly dataVolumes: readonly DataVolume[]
  readonly claims: readonly PersistentVolumeClaim[]
}

/** Lists the imports of a DataImportCron that are there, newest first. Pure. */
export function importsOf({ cron, dataSource, dataVolumes, claims }: CronObjects): readonly ImportRow[] {
  const ownName = cron.metadata.name ?? ''
  const isOwn = ({ metadata }: DataVolume | PersistentVolumeClaim): boolean => metadata?.labels?.[importNames.cronLabel] === ownName
  const byName = new Map(claims.filter(isOwn).map((claim) => [claim.metadata.name ?? '', claim]))
  const volumes = new Map(dataVolumes.filter(isOwn).map((dataVolume) => [dataVolume.metadata.name ?? '', dataVolume]))
  const selected = dataSource?.spec.source.pvc?.name
  const { [importNames.pin]: pin = '', [importNames.desiredDigest]: wanted = '' } = cron.metadata.annotations ?? {}
  return [...new Set([...volumes.keys(), ...byName.keys()])]
    .map((name) => {
      const [dataVolume, claim] = [volumes.get(name), byName.get(name)]
      const digest = digestOf(dataVolume) ?? ''
      return {
        name,
        digest,
        size: sizeOf(dataVolume, claim),
        phase:
          dataVolume === undefined ? (claim?.metadata.annotations?.[importNames.podPhase] ?? '') : (dataVolume.status?.phase ?? 'Pending'),
        isSelected: name === selected,
        isPinned: pin !== '' && (pin === name || pin === digest),
        isNewest: digest !== '' && digest === wanted,
        boot: claim?.metadata.annotations?.[importNames.bootResult] ?? '',
        createdAt: (dataVolume ?? claim)?.metadata.creationTimestamp,
      }
    })
    .toSorted((a, b) => (b.createdAt ?? '').localeCompare(a.createdAt ?? '') || a.name.localeCompare(b.name))
}
