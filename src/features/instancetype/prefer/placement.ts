import { setOwnInto } from '#apimachinery/own-property.ts'
import type { PreferencePart } from '../apply/draft.ts'

/** Sets fields beside the domain: subdomain, grace period, architecture, annotations. */
export const preferPlacementInto: PreferencePart = (draft, preference) => {
  const { spec, annotations } = draft
  if (preference.preferredSubdomain !== undefined) spec.subdomain ||= preference.preferredSubdomain
  if (preference.preferredTerminationGracePeriodSeconds !== undefined) {
    spec.terminationGracePeriodSeconds ??= preference.preferredTerminationGracePeriodSeconds
  }
  if (preference.preferredArchitecture !== undefined) spec.architecture ||= preference.preferredArchitecture
  for (const [key, value] of Object.entries(preference.annotations ?? {})) {
    if (!Object.hasOwn(annotations, key)) setOwnInto(annotations, key, value)
  }
}
