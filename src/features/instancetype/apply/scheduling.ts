import { conflictAt, type InstancetypePart } from './draft.ts'

/** Node selector. There is no merging: either the VM has one, or its instance type. */
export const applyNodeSelectorInto: InstancetypePart = (draft, instancetype) => {
  if (instancetype.nodeSelector === undefined) return []
  if (draft.spec.nodeSelector !== undefined) return [conflictAt('nodeSelector')]
  draft.spec.nodeSelector = { ...instancetype.nodeSelector }
  return []
}

/** Scheduler. */
export const applySchedulerNameInto: InstancetypePart = (draft, instancetype) => {
  const name = instancetype.schedulerName ?? ''
  if (name === '') return []
  if ((draft.spec.schedulerName ?? '') !== '') return [conflictAt('schedulerName')]
  draft.spec.schedulerName = name
  return []
}
