import type { PreferencePart } from '../apply/draft.ts'

/** Sets memory encryption unless VM or instance type do. */
export const preferLaunchSecurityInto: PreferencePart = (draft, preference) => {
  if (preference.preferredLaunchSecurity === undefined) return
  draft.spec.domain.launchSecurity ??= structuredClone(preference.preferredLaunchSecurity)
}
