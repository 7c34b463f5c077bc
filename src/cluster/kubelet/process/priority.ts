import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Lowers the CPU priority of a process. Best effort: the process may have ended. Sets the autogroup
 * as well: where it is enabled, Linux weighs sessions first, and niceness counts only within one.
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
