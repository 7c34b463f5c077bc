import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Gives way to others on the CPU. Best effort: the process may have ended, and it runs all the
 * same. Linux weighs sessions first where its automatic groups are on, and processes only within
 * their session: so both are told.
 */
export function lowerPriority(pid: number, niceness: number): void {
  const tell = (how: () => void): void => {
    try {
      how()
    } catch {
      // A kernel without automatic groups, or a process that has gone.
    }
  }
  tell(() => setPriority(pid, niceness))
  tell(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)))
}
