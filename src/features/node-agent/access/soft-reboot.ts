import { StatusError } from '#apimachinery/errors.ts'
import type { Guest } from '../guest/guest.ts'
import { askAgent } from '../guest-agent/ask-agent.ts'

/**
 * Asks a guest to reboot: by its power button, or by its agent when it has none. @throws
 * StatusError
 */
export async function softReboot(guest: Guest): Promise<void> {
  const record = await guest.record()
  if (record?.domain.machine.acpi !== false) return guest.softReboot()
  try {
    await askAgent(guest, (agent) => agent.execute('guest-shutdown', { mode: 'reboot' }))
  } catch (error) {
    // An agent that obeys does not answer.
    if (!(error instanceof StatusError) || !error.message.includes('no answer within')) throw error
  }
}
