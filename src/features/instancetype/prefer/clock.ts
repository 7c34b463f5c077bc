import type { PreferencePart } from '../apply/draft.ts'

/** Sets the clock offset, unless the VM sets either form of it, and timers. */
export const preferClockInto: PreferencePart = (draft, preference) => {
  const preferred = preference.clock
  if (preferred === undefined) return
  const clock = (draft.spec.domain.clock ??= {})
  if (preferred.preferredClockOffset !== undefined && clock.utc === undefined && clock.timezone === undefined) {
    Object.assign(clock, structuredClone(preferred.preferredClockOffset))
  }
  if (preferred.preferredTimer !== undefined) clock.timer ??= structuredClone(preferred.preferredTimer)
}
