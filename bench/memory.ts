import { readFileSync } from 'node:fs'

/**
 * Memory of a process, in KiB. Shared pages count in full in `rss`, and by their share in `pss`.
 */
export interface ProcessMemory {
  readonly rss: number
  readonly pss: number
}

/** Reads a process's memory; zeros when it is gone. */
export function memoryOf(pid: number): ProcessMemory {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const value = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
    return { rss: value('Rss'), pss: value('Pss') }
  } catch {
    return { rss: 0, pss: 0 }
  }
}

/** CPU time that a process has used, in clock ticks (1/100 s). */
export function cpuTicksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}
