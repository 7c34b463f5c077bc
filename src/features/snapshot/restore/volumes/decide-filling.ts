import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import { lastRestoreAnnotation, restoreMark } from '../../names.ts'
import { problemOf } from '../../volumes/decide-volumes.ts'
import type { RestoredVolume } from './restored-volumes.ts'

/** A volume to restore, and what exists of its name. */
export interface RestoredLook {
  readonly volume: RestoredVolume
  readonly dataVolume: DataVolume | undefined
  readonly claim: PersistentVolumeClaim | undefined
}

/** The next action for the volumes of a restore; undefined: all have their content. */
export type FillingStep =
  /** Removes volumes whose place the restored ones take. */
  | { readonly kind: 'removeVolumes'; readonly looks: readonly RestoredLook[] }
  | { readonly kind: 'createVolumes'; readonly volumes: readonly RestoredVolume[] }
  | { readonly kind: 'wait' | 'fail'; readonly why: string }

/** Phases in which the content is there as soon as a guest uses the claim. */
const readyPhases: readonly (string | undefined)[] = ['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation']

/**
 * Decides the next action for the volumes of a restore. `replaces`: they may take the place of
 * those that have their names, which another VM may use. Pure.
 */
export function decideFilling(restore: VirtualMachineRestore, looks: readonly RestoredLook[], replaces: boolean): FillingStep | undefined {
  const foreign = looks.filter((look) => !isOurs(restore, look) && (look.claim !== undefined || look.dataVolume !== undefined))
  const [first] = foreign
  if (first !== undefined) {
    if (!replaces || restore.spec.volumeRestorePolicy !== 'InPlace')
      return { kind: 'fail', why: `Volume "${first.volume.name}" exists already: delete it, or restore with other names` }
    const staying = foreign.filter(isStaying)
    if (staying.length > 0) return { kind: 'removeVolumes', looks: staying }
    return { kind: 'wait', why: `Waiting for volume "${first.volume.name}" to be deleted` }
  }
  const missing = looks.filter(({ dataVolume }) => dataVolume === undefined)
  if (missing.length > 0) return { kind: 'createVolumes', volumes: missing.map(({ volume }) => volume) }
  const failed = looks.find(({ dataVolume }) => dataVolume?.status?.phase === 'Failed')
  if (failed !== undefined)
    return { kind: 'fail', why: `Volume "${failed.volume.backup.volumeName}" cannot be restored: ${problemOf(failed.dataVolume)}` }
  const filling = looks.find(({ volume, dataVolume }) => !isFilled(volume, dataVolume))
  if (filling === undefined) return undefined
  const { phase = 'Pending', progress = '' } = filling.dataVolume?.status ?? {}
  const part = progress === '' || progress === 'N/A' ? phase : `${phase} ${progress}`
  return { kind: 'wait', why: `Restoring volume "${filling.volume.backup.volumeName}": ${part}` }
}

function isOurs(restore: VirtualMachineRestore, { dataVolume, claim }: RestoredLook): boolean {
  const isMarked = dataVolume?.metadata.annotations?.[lastRestoreAnnotation] === restoreMark(restore)
  return isMarked && dataVolume !== undefined && (claim === undefined || isOwnedBy(claim, dataVolume))
}

function isStaying({ dataVolume, claim }: RestoredLook): boolean {
  return (dataVolume !== undefined && !isBeingDeleted(dataVolume)) || (claim !== undefined && !isBeingDeleted(claim))
}

function isFilled({ backup }: RestoredVolume, dataVolume: DataVolume | undefined): boolean {
  const phase = dataVolume?.status?.phase
  return backup.volumeSnapshotName === undefined ? phase === 'Succeeded' : readyPhases.includes(phase)
}

/** Returns the DataVolumes that still belong to the restore. Pure. */
export function unadopted(restore: VirtualMachineRestore, looks: readonly RestoredLook[]): DataVolume[] {
  return looks.flatMap(({ dataVolume }) => (dataVolume !== undefined && isOwnedBy(dataVolume, restore) ? [dataVolume] : []))
}
