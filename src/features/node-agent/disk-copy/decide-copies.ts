import type { DiskCopyRequest, DiskCopyState } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { DiskBackup, DiskBackups } from '#qemu/index.ts'

/** Requested copies of disks, and those of QEMU. */
export interface ObservedCopies extends DiskBackups {
  readonly request: DiskCopyRequest | undefined
  /** State that the VMI shows. */
  readonly state: DiskCopyState | undefined
  /** True while the guest moves to another node. */
  readonly isMoving: boolean
}

/**
 * What to do about copies of disks.
 *
 *     start → Copying → Complete | Failed → clear
 *
 * QEMU has the jobs, and the VMI their result: jobs are removed when it is stored there.
 */
export type CopyStep =
  | { readonly kind: 'none' }
  /** The copies begin when the guest has arrived. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'start'; readonly request: DiskCopyRequest }
  /** Cancels the jobs that run, and removes all of them. */
  | { readonly kind: 'clear' }
  /** Removes the state of a request that was withdrawn. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'report'; readonly state: DiskCopyState }

/** Decides what to do about copies of disks. Pure. */
export function decideCopies({ request, state, jobs, hasTargets, isMoving }: ObservedCopies): CopyStep {
  const isClear = jobs.length === 0 && !hasTargets
  if (request === undefined) {
    if (!isClear) return { kind: 'clear' }
    return state === undefined ? { kind: 'none' } : { kind: 'forget' }
  }
  const known = state?.id === request.id ? state : undefined
  if (known !== undefined && known.phase !== 'Copying') return isClear ? { kind: 'none' } : { kind: 'clear' }
  if (jobs.some(({ set }) => set !== request.id)) return { kind: 'clear' }
  if (jobs.length > 0) return { kind: 'report', state: stateOf(request, known, jobs) }
  if (known !== undefined) {
    const message = 'QEMU has lost the copies of the disks: take the snapshot again'
    return { kind: 'report', state: { ...known, phase: 'Failed', message } }
  }
  // The agent was killed before it could begin.
  if (!isClear) return { kind: 'clear' }
  return isMoving ? { kind: 'wait' } : { kind: 'start', request }
}

function stateOf({ id }: DiskCopyRequest, known: DiskCopyState | undefined, jobs: readonly DiskBackup[]): DiskCopyState {
  const base = { ...known, id }
  if (jobs.some((job) => job.state === 'copying')) return { ...base, phase: 'Copying', percent: percentOf(jobs) }
  const failed = jobs.filter((job) => job.state === 'failed')
  if (failed.length === 0) return { ...base, phase: 'Complete', percent: 100 }
  // When one fails, QEMU cancels the others.
  const cause = failed.find(({ error = '' }) => !/cancel/i.test(error)) ?? failed[0]
  const message = `The copy of volume "${cause?.name ?? ''}" has failed: ${cause?.error ?? ''}`
  return { ...base, phase: 'Failed', message }
}

/** In tens: each change is a write. */
function percentOf(jobs: readonly DiskBackup[]): number {
  const total = jobs.reduce((sum, { totalBytes }) => sum + totalBytes, 0)
  const copied = jobs.reduce((sum, { copiedBytes }) => sum + copiedBytes, 0)
  return total === 0 ? 0 : Math.min(90, Math.floor((10 * copied) / total) * 10)
}
