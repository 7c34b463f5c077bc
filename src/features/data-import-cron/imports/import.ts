import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { names } from '../names.ts'
import { nanosecondsOf } from './use-time.ts'

/** How far an import is. */
export type ImportState =
  /** All of the image is there. */
  | 'complete'
  /** Bytes are coming. */
  | 'busy'
  /** It has not started, or is failing and tried again. */
  | 'waiting'
  /** It will not be complete: it has failed for good, or has taken too long. */
  | 'broken'
  /** It is being deleted. */
  | 'leaving'

/** An image that a DataImportCron has imported, or is importing. */
export interface Import {
  /** Name of the DataVolume and of the claim. */
  readonly name: string
  readonly dataVolume: DataVolume | undefined
  readonly claim: PersistentVolumeClaim | undefined
  readonly digest: string | undefined
  /** When a DataSource last began to name it, or when it was begun, in nanoseconds. */
  readonly lastUse: bigint
  readonly state: ImportState
  /** Result of its boot; undefined while it has not been booted. */
  readonly boot: 'passed' | 'failed' | undefined
  /** Why it is broken or waits. */
  readonly problem: string
}

/** Returns an import from what is stored of it. Pure. */
export function importOf(
  name: string,
  { dataVolume, claim }: { readonly dataVolume: DataVolume | undefined; readonly claim: PersistentVolumeClaim | undefined },
  deadline: { readonly nowMs: number; readonly deadlineMs: number },
): Import {
  const annotations = { ...dataVolume?.metadata.annotations, ...claim?.metadata.annotations }
  const times = [
    dataVolume?.metadata.annotations?.[names.lastUseTime],
    claim?.metadata.annotations?.[names.lastUseTime],
    dataVolume?.metadata.creationTimestamp,
    claim?.metadata.creationTimestamp,
  ].flatMap((text) => nanosecondsOf(text) ?? [])
  const boot = claim?.metadata.annotations?.[names.bootResult]
  const { state, problem } = stateOf(dataVolume, claim, deadline)
  return {
    name,
    dataVolume,
    claim,
    digest: annotations[names.importedDigest],
    lastUse: times.reduce((latest, time) => (time > latest ? time : latest), 0n),
    state,
    boot: boot === 'passed' || boot === 'failed' ? boot : undefined,
    problem,
  }
}

interface Progress {
  readonly state: ImportState
  readonly problem: string
}

function stateOf(
  dataVolume: DataVolume | undefined,
  claim: PersistentVolumeClaim | undefined,
  { nowMs, deadlineMs }: { readonly nowMs: number; readonly deadlineMs: number },
): Progress {
  if (dataVolume === undefined) return stateOfClaim(claim)
  if (isBeingDeleted(dataVolume) || (claim !== undefined && isBeingDeleted(claim))) return { state: 'leaving', problem: '' }
  const { phase = '', conditions } = dataVolume.status ?? {}
  const isOwn = claim !== undefined && controllerOf(claim)?.uid === dataVolume.metadata.uid
  if (phase === 'Succeeded') {
    if (isOwn && claim.status?.phase === 'Bound') return { state: 'complete', problem: '' }
    return { state: 'broken', problem: `the PVC of DataVolume ${dataVolume.metadata.name ?? ''} is gone` }
  }
  const running = findCondition(conditions, 'Running')
  const told = running?.message ?? ''
  if (phase === 'Failed') return { state: 'broken', problem: told === '' ? 'the import has failed' : told }
  const startedMs = Date.parse(dataVolume.metadata.creationTimestamp ?? '')
  if (nowMs >= startedMs + deadlineMs) {
    const seconds = Math.round(deadlineMs / 1000)
    return { state: 'broken', problem: `the import has not ended within ${seconds} s${told === '' ? '' : `: ${told}`}` }
  }
  return { state: running?.status === 'True' ? 'busy' : 'waiting', problem: running?.status === 'True' ? '' : told }
}

/**
 * A claim without DataVolume is an import only if it records that its content is complete: it stays
 * for a moment when the DataVolume of a failed import is deleted, with a part of the image.
 */
function stateOfClaim(claim: PersistentVolumeClaim | undefined): Progress {
  if (claim === undefined || isBeingDeleted(claim) || controllerOf(claim) !== undefined) return { state: 'leaving', problem: '' }
  const isFilled = claim.metadata.annotations?.[names.podPhase] === 'Succeeded'
  if (isFilled && claim.status?.phase === 'Bound') return { state: 'complete', problem: '' }
  return { state: 'broken', problem: `PVC ${claim.metadata.name ?? ''} has no DataVolume, and no record that it is complete` }
}

/** When a DataVolume was created, in milliseconds; undefined without one. Pure. */
export function startedMsOf({ dataVolume }: Import): number | undefined {
  const ms = Date.parse(dataVolume?.metadata.creationTimestamp ?? '')
  return Number.isNaN(ms) ? undefined : ms
}
