import type { MigrationReport } from './report.ts'

/** Time limits of a migration and their effects, with KubeVirt's meaning. */
export interface MigrationLimits {
  /** Time limit without a new minimum of remaining bytes. */
  readonly progressTimeoutMs: number
  /** For each GiB of memory and of disks that are copied. */
  readonly completionTimeoutMsPerGib: number
  /** At the time-out, let the guest run on the target before all is there. */
  readonly allowPostCopy: boolean
  /** At the time-out, stop the guest until it is over, for as long again. */
  readonly allowWorkloadDisruption: boolean
}

/**
 * Minimum of remaining bytes, and its time. Kept by the observer: one that starts later waits
 * longer, not shorter.
 */
export interface LowWater {
  /** Phase that it belongs to: disks are copied first, independent of memory. */
  readonly status: MigrationReport['status']
  readonly remainingBytes: number
  readonly sinceMs: number
}

/** Observed state of a running migration. */
export interface Flight {
  readonly report: Pick<MigrationReport, 'status' | 'totalMs'>
  readonly memoryBytes: number
  /** Memory and copied disks. */
  readonly totalBytes: number
  /** Since it was started, disks included. */
  readonly elapsedMs: number
  readonly guestRuns: boolean
}

/** Next action of an observer. */
export type Verdict =
  | { readonly kind: 'wait' }
  | { readonly kind: 'postCopy' | 'pauseGuest'; readonly reason: string }
  | { readonly kind: 'abort'; readonly reason: string }

/** Updates the minimum with a new observation. */
export function lowWater(before: LowWater | undefined, now: Omit<LowWater, 'sinceMs'>, nowMs: number): LowWater {
  const isLess = before === undefined || before.status !== now.status || now.remainingBytes < before.remainingBytes
  return isLess ? { ...now, sinceMs: nowMs } : before
}

/**
 * Decides whether a migration continues. Called only while it can still be cancelled: there is no
 * way back from the switchover on.
 */
export function judge(flight: Flight, limits: MigrationLimits, low: LowWater, nowMs: number): Verdict {
  const stuckMs = nowMs - low.sinceMs
  if (stuckMs > limits.progressTimeoutMs) {
    return { kind: 'abort', reason: `Live migration stuck for ${seconds(stuckMs)} and has been aborted` }
  }
  const limitOf = (bytes: number): number => limits.completionTimeoutMsPerGib * Math.max(1, Math.ceil(bytes / 2 ** 30))
  const isStream = flight.report.status === 'active'
  if (isStream && limits.allowPostCopy) return judgeSwitch(flight, limitOf(flight.memoryBytes))
  const limitMs = limitOf(flight.totalBytes)
  if (flight.elapsedMs <= limitMs) return { kind: 'wait' }
  const reason = `Live migration is not completed after ${seconds(flight.elapsedMs)}`
  // Pausing the guest helps only while memory is transferred.
  if (isStream && limits.allowWorkloadDisruption && flight.guestRuns) return { kind: 'pauseGuest', reason }
  if (limits.allowWorkloadDisruption && !flight.guestRuns && flight.elapsedMs <= 2 * limitMs) return { kind: 'wait' }
  return { kind: 'abort', reason: `${reason} and has been aborted` }
}

/** Disks that took long are complete by now, and say nothing about the convergence of memory. */
function judgeSwitch({ report, elapsedMs }: Flight, limitMs: number): Verdict {
  const memoryMs = report.totalMs ?? elapsedMs
  if (memoryMs <= limitMs) return { kind: 'wait' }
  return { kind: 'postCopy', reason: `The memory of the guest is not copied after ${seconds(memoryMs)}` }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} seconds`
}
