/**
 * Predicts the effect of a change before it is made: `plan` compares the hardware of all VMs in a
 * snapshot of the cluster with and without the change, `impactOf` lists what depends on an object,
 * `why` explains each value of a VM, `nextStartOf` what the next start changes. It only reads.
 */
export { ImpossibleChange } from './changes/apply-changes.ts'
export { mergeManifest } from './changes/merge-manifest.ts'
export { plan, type PlanOptions } from './plan.ts'
export type {
  Change,
  ChangeSummary,
  Effect,
  FieldChange,
  Manifest,
  ObjectReference,
  Plan,
  PlannedVm,
  Refusal,
  SwitchTarget,
} from './types.ts'
export { changeableResource, type ClusterState } from './cluster-state/cluster-state.ts'
export { readClusterState, type ReadOptions } from './cluster-state/read-cluster-state.ts'
export { vmiPathOf, why, type Explanation } from './why.ts'
export { impactOf, type Impact } from './impact/impact.ts'
export { readRelatedObjects } from './cluster-state/read-related-objects.ts'
export { chooseRevision, matcherFor, NoSuchRevision, numberEntries, refreshPatch, type NumberedEntry, type UndoRequest } from './rollout.ts'
export { nextStartOf, type NextStart } from './vm/next-start.ts'
