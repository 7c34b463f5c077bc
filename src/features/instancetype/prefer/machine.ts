import type { PreferencePart } from '../apply/draft.ts'

/** Sets the machine type. */
export const preferMachineInto: PreferencePart = (draft, preference) => {
  const type = preference.machine?.preferredMachineType ?? ''
  if (type === '' || (draft.spec.domain.machine?.type ?? '') !== '') return
  draft.spec.domain.machine = { ...draft.spec.domain.machine, type }
}
