import { readFileSync } from 'node:fs'

/** Names one process for all time: a pid alone may have been given to another one. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks between the boot and the process's start, as `/proc/<pid>/stat` has it. */
  readonly startTime: string
  readonly bootId: string
}

/** The fields of `/proc/<pid>/stat` that matter here. */
export interface ProcessStat {
  /** One letter: `R`, `S`, `Z` … */
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly startTime: string
}

/** Identifies this run of the kernel. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

/** Undefined when there is no such process. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  let text
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  return parseProcessStat(text)
}

/**
 * Parses `/proc/<pid>/stat`. The command, in parentheses, may itself hold spaces and parentheses.
 */
function parseProcessStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group] = fields
  const startTime = fields[19]
  if (state === undefined || startTime === undefined) return undefined
  return { state, parent: Number(parent), group: Number(group), startTime }
}

/**
 * Reports whether exactly this process still runs. A zombie counts as ended: it may never be
 * reaped.
 */
export function isRunning(identity: ProcessIdentity, bootId: string): boolean {
  if (identity.bootId !== bootId) return false
  const stat = readProcessStat(identity.pid)
  return stat !== undefined && stat.startTime === identity.startTime && stat.state !== 'Z' && stat.state !== 'X'
}

/** The identity of a process that runs now, or undefined. */
export function identify(pid: number, bootId: string): ProcessIdentity | undefined {
  const stat = readProcessStat(pid)
  return stat === undefined ? undefined : { pid, startTime: stat.startTime, bootId }
}

/** Signals the group that the process leads, if it is still that process. False when it is gone. */
export function signalGroup(identity: ProcessIdentity, bootId: string, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity, bootId)) return false
  return trySignal(-identity.pid, signal)
}

/** Sends a signal; false when there is no such process. */
export function trySignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal)
    return true
  } catch {
    return false
  }
}
