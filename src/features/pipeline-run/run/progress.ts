import type { ParamValue } from '../manifest/parameter.ts'

/** Why a pod is ended before its time. */
export type StopReason = 'TimedOut' | 'Cancelled' | 'CannotStart'

/** One pod of a task. */
export interface Attempt {
  readonly pod: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly state: 'Running' | 'Succeeded' | 'Failed'
  readonly finishedAt?: number
  readonly results?: Readonly<Record<string, ParamValue>>
  /** Why it has failed, in one word: `TimedOut`, `Cancelled`, `StepFailed`. */
  readonly reason?: string
  readonly message?: string
  /** The pod is to be ended. */
  readonly stop?: { readonly reason: StopReason; readonly at: number; readonly message?: string }
}

/** How far a run is, as it is stored in the cluster. */
export interface Progress {
  /** By task, oldest first. */
  readonly attempts: Readonly<Record<string, readonly Attempt[]>>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Someone has asked for the end of the run. */
  readonly cancelledAt?: number
  /** The tasks are over, and those of finally begin. */
  readonly finallyAt?: number
  /** The run is over. */
  readonly outcome?: Outcome
}

/** The end of a run. */
export interface Outcome {
  readonly status: 'Succeeded' | 'Completed' | 'Failed' | 'TimedOut' | 'Cancelled'
  readonly message: string
  readonly results: Readonly<Record<string, ParamValue>>
  readonly finishedAt: number
}

/** Returns the progress of a run that has just begun. */
export function newProgress(startedAt: number): Progress {
  return { attempts: {}, startedAt }
}

/** Returns the attempts of a task, oldest first. */
export function attemptsOf({ attempts }: Progress, task: string): readonly Attempt[] {
  return attempts[task] ?? []
}

/** Returns the progress with one attempt changed or added. */
export function withAttempt(progress: Progress, task: string, index: number, attempt: Attempt): Progress {
  const attempts = attemptsOf(progress, task)
  const changed = [...attempts.slice(0, index), attempt, ...attempts.slice(index + 1)]
  return { ...progress, attempts: { ...progress.attempts, [task]: changed } }
}
