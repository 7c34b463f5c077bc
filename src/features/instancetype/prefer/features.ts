import type { PreferencePart } from '../apply/draft.ts'

/** Sets features. ACPI always follows the preference; Hyper-V features are merged one by one. */
export const preferFeaturesInto: PreferencePart = (draft, preference) => {
  const preferred = preference.features
  if (preferred === undefined) return
  const features = (draft.spec.domain.features ??= {})
  if (preferred.preferredAcpi !== undefined) features.acpi = structuredClone(preferred.preferredAcpi)
  if (preferred.preferredApic !== undefined) features.apic ??= structuredClone(preferred.preferredApic)
  if (preferred.preferredHyperv !== undefined) features.hyperv = { ...structuredClone(preferred.preferredHyperv), ...features.hyperv }
  if (preferred.preferredKvm !== undefined) features.kvm ??= structuredClone(preferred.preferredKvm)
  if (preferred.preferredPvspinlock !== undefined) features.pvspinlock ??= structuredClone(preferred.preferredPvspinlock)
  if (preferred.preferredSmm !== undefined) features.smm ??= structuredClone(preferred.preferredSmm)
}
