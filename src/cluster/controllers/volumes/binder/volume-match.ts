import { parseQuantity } from '#apimachinery/quantity.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import { matchesNodeSelector } from '#api/usage/node-affinity.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { names } from './names.ts'

/** The class that a claim names; empty when it wants none. */
export function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[names.legacyClass] ?? spec?.storageClassName ?? ''
}

/** Reports whether a volume is reserved for this claim, or bound to it. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid = '' } = spec?.claimRef ?? {}
  return namespace === metadata.namespace && name === metadata.name && (uid === '' || uid === metadata.uid)
}

/** Reports whether a node reaches a volume. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required
  return required === undefined || matchesNodeSelector(required, node)
}

/**
 * Finds the volume for a claim: one that is reserved for it, else the smallest free one that
 * matches, reachable from the selected node if there is one. Pure.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node: Node | undefined,
): PersistentVolume | undefined {
  const large = volumes.filter((volume) => sizeOf(volume) >= wantedSize(claim))
  const kept = large.find(
    (volume) => volume.spec?.claimRef !== undefined && isFor(volume, claim) && modeOf(volume.spec) === modeOf(claim.spec),
  )
  if (kept !== undefined) return kept
  return large
    .filter((volume) => isFree(volume) && suits(volume, claim) && (node === undefined || isReachable(volume, node)))
    .toSorted((a, b) => compare(sizeOf(a), sizeOf(b)) || compare(a.metadata.name ?? '', b.metadata.name ?? ''))[0]
}

function compare<T>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function isFree({ metadata, spec, status }: PersistentVolume): boolean {
  return !isBeingDeleted({ metadata }) && spec?.claimRef === undefined && status?.phase === 'Available'
}

function suits({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = spec?.accessModes ?? []
  return (
    (spec?.storageClassName ?? '') === classOf(claim) &&
    modeOf(spec) === modeOf(claim.spec) &&
    (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode)) &&
    (claim.spec?.selector === undefined || labelSelectorFromObject(claim.spec.selector).matches(metadata.labels ?? {}))
  )
}

function modeOf(spec: { volumeMode?: string } | undefined): string {
  return spec?.volumeMode ?? 'Filesystem'
}

function sizeOf({ spec }: PersistentVolume): bigint {
  return parseQuantity(spec?.capacity?.['storage'] ?? '0').nanos
}

function wantedSize({ spec }: PersistentVolumeClaim): bigint {
  return parseQuantity(spec?.resources?.requests?.['storage'] ?? '0').nanos
}
