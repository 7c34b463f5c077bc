import type { MigrationReport } from './report.ts'

/** How long a migration may take, and what happens then. KubeVirt's meaning of each. */
export interface MigrationLimits {
  /** Without less remaining than ever before. */
  readonly progressTimeoutMs: number
  /** For each GiB of memory and of disks that are copied. */
  readonly completionTimeoutMsPerGib: number
  /** At the time-out, let the guest run on the target before all is there. */
  readonly allowPostCopy: boolean
  /** At the time-out, stop the guest until it is over, for as long again. */
  readonly allowWorkloadDisruption: boolean
}

/**
 * The least that was ever left to copy, and since when. Kept by whoever watches: who starts to
 * watch later waits longer, not shorter.
 */
export interface LowWater {
  /** Of which phase: the disks go first, and say nothing of the memory. */
  readonly status: MigrationReport['status']
  readonly remainingBytes: number
  readonly sinceMs: number
}

/** What is observed of a migration in flight. */
export interface Flight {
  readonly report: Pick<MigrationReport, 'status' | 'totalMs'>
  readonly memoryBytes: number
  /** Memory and copied disks. */
  readonly totalBytes: number
  /** Since it was started, disks included. */
  readonly elapsedMs: number
  readonly guestRuns: boolean
}

/** What a watcher does next. */
export type Verdict =
  | { readonly kind: 'wait' }
  | { readonly kind: 'postCopy' | 'pauseGuest'; readonly reason: string }
  | { readonly kind: 'abort'; readonly reason: string }

/** The low water after another look. */
export function lowWater(before: LowWater | undefined, now: Omit<LowWater, 'sinceMs'>, nowMs: number): LowWater {
  const isLess = before === undefined || before.status !== now.status || now.remainingBytes < before.remainingBytes
  return isLess ? { ...now, sinceMs: nowMs } : before
}

/**
 * Whether a migration goes on. Only asked while it could still be given up: from the switchover on,
 * there is no way back.
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
  // Only a guest whose memory flows can be waited for while it stands still.
  if (isStream && limits.allowWorkloadDisruption && flight.guestRuns) return { kind: 'pauseGuest', reason }
  if (limits.allowWorkloadDisruption && !flight.guestRuns && flight.elapsedMs <= 2 * limitMs) return { kind: 'wait' }
  return { kind: 'abort', reason: `${reason} and has been aborted` }
}

/**
 * Disks that took long are there by now, and say nothing of whether the memory will get there by
 * itself.
 */
function judgeSwitch({ report, elapsedMs }: Flight, limitMs: number): Verdict {
  const memoryMs = report.totalMs ?? elapsedMs
  if (memoryMs <= limitMs) return { kind: 'wait' }
  return { kind: 'postCopy', reason: `The memory of the guest is not copied after ${seconds(memoryMs)}` }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} seconds`
}
