import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { Import } from './import.ts'

const defaultToKeep = 3

/** Returns how many images a DataImportCron keeps. The one in use always stays. Pure. */
export function importsToKeep({ spec }: Pick<DataImportCron, 'spec'>): number {
  return spec.garbageCollect === 'Never' ? Number.POSITIVE_INFINITY : Math.max(1, spec.importsToKeep ?? defaultToKeep)
}

/**
 * Returns the complete images to delete: those beyond the number to keep, the one that was used
 * longest ago first. `kept`: names of images that stay, and count. Pure.
 */
export function garbageOf(imports: readonly Import[], toKeep: number, kept: ReadonlySet<string>): readonly Import[] {
  const complete = imports.filter(({ state }) => state === 'complete').toSorted(byLastUse)
  const room = toKeep - complete.filter(({ name }) => kept.has(name)).length
  return complete
    .filter(({ name }) => !kept.has(name))
    .slice(Math.max(0, room))
    .toReversed()
}

/** The one that was used last comes first. */
export function byLastUse(one: Import, other: Import): number {
  if (one.lastUse === other.lastUse) return one.name < other.name ? -1 : 1
  return one.lastUse > other.lastUse ? -1 : 1
}
