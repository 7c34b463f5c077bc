export { ImpossibleChange } from './apply-changes.ts'
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
export { changeableResource, type World } from './world.ts'
export { readWorld, type ReadOptions } from './read-world.ts'
export { vmiPathOf, why, type Explanation } from './why.ts'
export { impactOf, type Impact } from './impact.ts'
export { readSurroundings } from './read-surroundings.ts'
export { chooseRevision, matcherFor, NoSuchRevision, numberEntries, refreshPatch, type NumberedEntry, type UndoRequest } from './rollout.ts'
export { nextStartOf, type NextStart } from './next-start.ts'
