import type { PreferencePart } from '../apply/draft.ts'

/** Adds CPU features that the VM does not list. */
export const preferCpuFeaturesInto: PreferencePart = (draft, preference) => {
  const preferred = preference.cpu?.preferredCPUFeatures ?? []
  const listed = draft.spec.domain.cpu?.features ?? []
  const missing = preferred.filter((feature) => !listed.some((own) => own.name === feature.name))
  if (missing.length > 0) draft.spec.domain.cpu = { ...draft.spec.domain.cpu, features: [...listed, ...structuredClone(missing)] }
}
