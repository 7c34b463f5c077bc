import { conflictAt, type InstancetypePart } from './draft.ts'

/** Sets the node selector. Selectors of VM and instance type are not merged. */
export const applyNodeSelectorInto: InstancetypePart = (draft, instancetype) => {
  if (instancetype.nodeSelector === undefined) return []
  if (draft.spec.nodeSelector !== undefined) return [conflictAt('nodeSelector')]
  draft.spec.nodeSelector = { ...instancetype.nodeSelector }
  return []
}

/** Sets the scheduler. */
export const applySchedulerNameInto: InstancetypePart = (draft, instancetype) => {
  const name = instancetype.schedulerName ?? ''
  if (name === '') return []
  if ((draft.spec.schedulerName ?? '') !== '') return [conflictAt('schedulerName')]
  draft.spec.schedulerName = name
  return []
}
