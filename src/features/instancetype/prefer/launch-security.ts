import type { PreferencePart } from '../apply/draft.ts'

/** Memory encryption, when neither the VM nor its instance type asks for any. */
export const preferLaunchSecurityInto: PreferencePart = (draft, preference) => {
  if (preference.preferredLaunchSecurity === undefined) return
  draft.spec.domain.launchSecurity ??= structuredClone(preference.preferredLaunchSecurity)
}
