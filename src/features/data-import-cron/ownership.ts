import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Resolution } from '#features/data-source/index.ts'
import { names } from './names.ts'

/** Whether a DataImportCron keeps a DataSource. */
export type Ownership =
  | { readonly kind: 'missing' }
  | { readonly kind: 'ours'; readonly dataSource: DataSource }
  /** It was made by others and leads nowhere, or its label asks to be taken over. */
  | { readonly kind: 'toTakeOver'; readonly dataSource: DataSource }
  /** It is left alone. Reason and message are those of a condition. */
  | { readonly kind: 'foreign'; readonly reason: string; readonly message: string }

/** What the DataSource of a DataImportCron is like. */
export interface OwnershipFacts {
  readonly cron: DataImportCron
  readonly dataSource: DataSource | undefined
  /** Where it leads to; undefined without one. */
  readonly resolution: Resolution | undefined
  /** The DataImportCron that its label names, if there is one. */
  readonly otherCron: DataImportCron | undefined
}

/**
 * Decides whose a DataSource is, by SSP's rules: one with the label of a DataImportCron is taken
 * over, unless that one manages it, and one that leads nowhere. A DataSource of a user that leads
 * to an image, or will soon, is left alone until its label is set. Pure.
 */
export function ownershipOf({ cron, dataSource, resolution, otherCron }: OwnershipFacts): Ownership {
  if (dataSource === undefined) return { kind: 'missing' }
  const { name = '', labels = {} } = dataSource.metadata
  if (isBeingDeleted(dataSource))
    return { kind: 'foreign', reason: 'DataSourceBeingDeleted', message: `DataSource ${name} is being deleted` }
  const label = labels[names.cronLabel]
  if (label === cron.metadata.name) return { kind: 'ours', dataSource }
  if (label !== undefined && label !== '') {
    if (
      otherCron !== undefined &&
      [otherCron.spec.managedDataSource, otherCron.metadata.annotations?.[names.defaultDataSource]].includes(name)
    )
      return {
        kind: 'foreign',
        reason: 'ErrDataSourceAlreadyManaged',
        message: `DataSource ${name} is already managed by DataImportCron ${label}`,
      }
    return { kind: 'toTakeOver', dataSource }
  }
  if (resolution?.kind === 'unready' && ['NoSource', 'NotFound'].includes(resolution.reason)) return { kind: 'toTakeOver', dataSource }
  return {
    kind: 'foreign',
    reason: 'DataSourceNotManaged',
    message: `DataSource ${name} leads to an image of its own, and so nothing is imported: give it the label ${names.cronLabel}=${cron.metadata.name ?? ''} to have it updated`,
  }
}
