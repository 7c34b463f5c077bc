import { readFileSync } from 'node:fs'

/** A process that cannot be confused with a later one of the same pid. */
export interface ProcessIdentity {
  readonly pid: number
  /** Field 22 of /proc/<pid>/stat: clock ticks since boot. */
  readonly startTicks: number
}

/**
 * Returns the identity of a running process, or undefined when there is none (zombies count as
 * ended).
 */
export function identify(pid: number): ProcessIdentity | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The command name is in parentheses and may contain anything, so fields are counted from the
  // last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  return { pid, startTicks: Number(fields[19]) }
}

/** Reports whether exactly this process is still running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTicks === identity.startTicks
}
