import type { RunPlan } from '../graph/plan.ts'

/** A run in the cluster. */
export interface Run {
  readonly name: string
  readonly namespace: string
  /** Uid of the object that holds the run, and owns its pods. */
  readonly uid: string
  readonly plan: RunPlan
}
