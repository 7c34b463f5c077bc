import { attemptsOf, type Outcome, type StoredRun } from '#features/pipeline-run/index.ts'

/** A run in the documents that commands print. */
export interface RunReport {
  readonly name: string
  readonly namespace: string
  readonly pipeline: string
  /** `Running`, or how it has ended. */
  readonly status: Outcome['status'] | 'Running'
  readonly message: string
  readonly results: Outcome['results']
  readonly tasks: readonly {
    readonly name: string
    readonly attempts: readonly { readonly pod: string; readonly state: string; readonly reason: string; readonly message: string }[]
  }[]
}

/** Describes a run. Pure. */
export function reportOf({ run, progress }: StoredRun): RunReport {
  const { outcome } = progress
  return {
    name: run.name,
    namespace: run.namespace,
    pipeline: run.plan.pipeline,
    status: outcome?.status ?? 'Running',
    message: outcome?.message ?? '',
    results: outcome?.results ?? {},
    tasks: run.plan.tasks.map(({ name }) => ({
      name,
      attempts: attemptsOf(progress, name).map(({ pod, state, reason = '', message = '' }) => ({ pod, state, reason, message })),
    })),
  }
}
