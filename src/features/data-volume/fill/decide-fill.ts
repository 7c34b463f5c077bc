import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Quantity } from '#api/scalars.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ImportProgress, ImportResult } from '#importer/index.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { compareQuantities, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import { names } from '../names.ts'
import { workerState } from '../worker/worker-state.ts'

/** A claim with its worker. */
export interface FillObservation {
  readonly claim: PersistentVolumeClaim
  /** Worker of this claim, of whatever state. */
  readonly pod: Pod | undefined
  /** The claim is bound when its first pod is scheduled. */
  readonly bindsLate: boolean
  /** A worker may be that first pod. */
  readonly bindsAtOnce: boolean
  /** Why the source cannot be read yet. */
  readonly obstacle: FillWait | undefined
  /** This process has made the worker, with its Secret. */
  readonly isComplete: boolean
  /** Answer of the worker. */
  readonly progress: ImportProgress | undefined
}

/** What a claim waits for. */
export interface FillWait {
  /** Reason in CamelCase, CDI's where it has one. */
  readonly reason: string
  readonly message: string
}

/**
 * What to do for a claim.
 *
 *     awaitVolume | awaitConsumer | awaitSource ─startWorker→ follow ─recordSuccess→ filled
 *                                                       └─recordFailure→ failed
 */
export type FillStep =
  /** The content is complete, and the record of it on the claim. `pod`: its worker, to remove. */
  | { readonly kind: 'filled'; readonly pod: Pod | undefined }
  /** It cannot be filled, which the claim records. */
  | { readonly kind: 'failed'; readonly wait: FillWait; readonly pod: Pod | undefined }
  | { readonly kind: 'awaitConsumer' }
  | { readonly kind: 'awaitVolume'; readonly wait: FillWait }
  | { readonly kind: 'awaitSource'; readonly wait: FillWait }
  | { readonly kind: 'startWorker' }
  /** The driver of the volume copies the source. */
  | { readonly kind: 'awaitDriver'; readonly phase: DriverPhase; readonly wait: FillWait }
  /** The driver has copied a smaller source. */
  | { readonly kind: 'expand'; readonly size: string }
  | { readonly kind: 'recordClone' }
  | { readonly kind: 'awaitWorker'; readonly pod: Pod }
  | { readonly kind: 'follow'; readonly pod: Pod; readonly wait?: FillWait; readonly progress?: ImportProgress }
  | { readonly kind: 'recordSuccess'; readonly pod: Pod; readonly result: ImportResult }
  | { readonly kind: 'recordFailure'; readonly pod: Pod; readonly wait: FillWait }
  /** The worker has ended without a result: another one takes its place. */
  | { readonly kind: 'replaceWorker'; readonly pod: Pod; readonly wait: FillWait }

/** What a driver does, as CDI names it. */
export type DriverPhase = 'CSICloneInProgress' | 'CloneFromSnapshotSourceInProgress' | 'ExpansionInProgress'

/** Reports whether the driver of the volume fills a claim that we have made. Pure. */
export function isClonedByDriver({ spec }: PersistentVolumeClaim): boolean {
  return ['PersistentVolumeClaim', 'VolumeSnapshot'].includes(spec?.dataSource?.kind ?? '')
}

/** Reports whether the claim records that its content is complete. Pure. */
export function isFilled({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[names.podPhase] === 'Succeeded'
}

/** Decides what to do for a claim. The record on the claim counts, and then its worker. Pure. */
export function decideFill({ claim, pod, bindsLate, bindsAtOnce, obstacle, isComplete, progress }: FillObservation): FillStep {
  const annotations = claim.metadata.annotations ?? {}
  if (isFilled(claim)) return { kind: 'filled', pod }
  if (annotations[names.fatalError] === 'true') {
    const wait = { reason: annotations[names.runningReason] ?? 'Error', message: annotations[names.runningMessage] ?? '' }
    return { kind: 'failed', wait, pod }
  }
  if (isClonedByDriver(claim)) return decideDriver(claim, bindsLate && !bindsAtOnce)
  if (pod !== undefined) return decideWorker(pod, isComplete, progress)
  const { name = '' } = claim.metadata
  if (isBeingDeleted(claim)) return { kind: 'awaitVolume', wait: { reason: 'Pending', message: `PVC ${name} is being deleted` } }
  if (claim.status?.phase === 'Lost')
    return { kind: 'awaitVolume', wait: { reason: 'ClaimLost', message: `PVC ${name} lost: its PersistentVolume is gone` } }
  if (obstacle !== undefined) return { kind: 'awaitSource', wait: obstacle }
  if (claim.status?.phase === 'Bound') return { kind: 'startWorker' }
  if (bindsLate) return bindsAtOnce ? { kind: 'startWorker' } : { kind: 'awaitConsumer' }
  return { kind: 'awaitVolume', wait: { reason: 'Pending', message: pendingMessage(claim) } }
}

function decideDriver(claim: PersistentVolumeClaim, needsConsumer: boolean): FillStep {
  const { metadata, spec, status } = claim
  const { name = '', annotations = {} } = metadata
  if (status?.phase === 'Lost')
    return { kind: 'awaitVolume', wait: { reason: 'ClaimLost', message: `PVC ${name} lost: its PersistentVolume is gone` } }
  if (status?.phase !== 'Bound') {
    if (needsConsumer) return { kind: 'awaitConsumer' }
    const phase = spec?.dataSource?.kind === 'VolumeSnapshot' ? 'CloneFromSnapshotSourceInProgress' : 'CSICloneInProgress'
    return { kind: 'awaitDriver', phase, wait: { reason: 'Pending', message: pendingMessage(claim) } }
  }
  const wanted = annotations[names.wantedSize]
  if (wanted === undefined || !isQuantity(wanted)) return { kind: 'recordClone' }
  if (isSmaller(spec?.resources?.requests?.['storage'], wanted)) return { kind: 'expand', size: wanted }
  // The node grows the file system when the volume is used for the first time.
  const isGrown = !isSmaller(status.capacity?.['storage'], wanted)
  const isLeftToNode = status.conditions?.some(({ type, status: is }) => type === 'FileSystemResizePending' && is === 'True') === true
  if (isGrown || isLeftToNode) return { kind: 'recordClone' }
  return { kind: 'awaitDriver', phase: 'ExpansionInProgress', wait: { reason: 'Pending', message: `PVC ${name} grows to ${wanted}` } }
}

function isSmaller(size: Quantity | undefined, wanted: string): boolean {
  return size === undefined || compareQuantities(parseQuantity(size), parseQuantity(wanted)) < 0
}

function pendingMessage({ metadata: { name = '' }, spec }: PersistentVolumeClaim): string {
  const { storageClassName = '' } = spec ?? {}
  if (storageClassName !== '') return `PVC ${name} Pending: StorageClass ${storageClassName} has not provided a volume yet`
  return `PVC ${name} Pending: it names no storage class, there is no default one, and no PersistentVolume fits`
}

function decideWorker(pod: Pod, isComplete: boolean, progress: ImportProgress | undefined): FillStep {
  const state = workerState(pod)
  switch (state.kind) {
    case 'leaving':
      return { kind: 'awaitWorker', pod }
    case 'scheduled':
      // It cannot start if its Secret is missing, and nothing shows whether it is. It has done
      // nothing.
      if (!isComplete)
        return { kind: 'replaceWorker', pod, wait: { reason: 'Pending', message: 'The worker is made again after a restart' } }
      return state.message === ''
        ? { kind: 'follow', pod }
        : { kind: 'follow', pod, wait: { reason: state.reason, message: state.message } }
    case 'running':
      return progress === undefined ? { kind: 'follow', pod } : { kind: 'follow', pod, progress }
    case 'backingOff':
      return { kind: 'follow', pod, wait: { reason: state.reason, message: state.message } }
    case 'succeeded':
      return { kind: 'recordSuccess', pod, result: state.result }
    case 'failed':
      return { kind: 'recordFailure', pod, wait: { reason: state.reason, message: state.message } }
    case 'lost':
      if (isBeingDeleted(pod)) return { kind: 'awaitWorker', pod }
      return { kind: 'replaceWorker', pod, wait: { reason: 'WorkerLost', message: state.message } }
  }
}
