import { conflictAt, type InstancetypePart } from './draft.ts'

/** Sets memory encryption. */
export const applyLaunchSecurityInto: InstancetypePart = (draft, instancetype) => {
  if (instancetype.launchSecurity === undefined) return []
  if (draft.spec.domain.launchSecurity !== undefined) return [conflictAt('domain.launchSecurity')]
  draft.spec.domain.launchSecurity = structuredClone(instancetype.launchSecurity)
  return []
}
