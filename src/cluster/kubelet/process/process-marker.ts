import { readdirSync, readFileSync } from 'node:fs'
import { readProcessStat } from './process-identity.ts'

/**
 * Environment variable that identifies the container of a process. It stays readable in `/proc`
 * after the program replaced itself.
 */
export const containerMarker = 'STEADYVM_CONTAINER'
/** Same for a command that runs beside a container: a probe or a hook. */
export const commandMarker = 'STEADYVM_COMMAND'

/** A marked process. */
export interface MarkedProcess {
  readonly pid: number
  readonly group: number
  readonly variable: typeof containerMarker | typeof commandMarker
  /** `<pod uid>/<container>/<restart>`. */
  readonly marker: string
  /** The environment that it was started with. */
  readonly environment: Readonly<Record<string, string>>
}

/** Value of {@link containerMarker}. */
export function markerOf(podUid: string, container: string, restart: number): string {
  return `${podUid}/${container}/${restart}`
}

/**
 * All living marked processes whose marker starts with the prefix. Reads the whole of `/proc`: for
 * start-up and clean-up only.
 */
export function findMarked(prefix: string): readonly MarkedProcess[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) return []
    return marksOf(pid)
      .filter((mark) => mark.marker.startsWith(prefix))
      .flatMap((mark) => {
        const stat = readProcessStat(pid)
        return stat === undefined || stat.state === 'Z' ? [] : [{ pid, group: stat.group, ...mark }]
      })
  })
}

/** Reports whether this process carries exactly this container marker. */
export function carriesMarker(pid: number, marker: string): boolean {
  return marksOf(pid).some((mark) => mark.variable === containerMarker && mark.marker === marker)
}

/** The environment that a process was started with; empty when it is gone or not ours to read. */
export function readEnvironment(pid: number): Readonly<Record<string, string>> {
  const pairs = readEnviron(pid)
    .split('\0')
    .filter((pair) => pair.includes('='))
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/**
 * During execve the kernel shows an empty environment, which would make a container look lost: the
 * read is repeated. Kernel threads never have one.
 */
function readEnviron(pid: number): string {
  for (let attempt = 0; ; attempt++) {
    try {
      const text = readFileSync(`/proc/${pid}/environ`, 'utf8')
      if (text !== '' || attempt === environAttempts || !mayHaveEnvironment(pid)) return text
    } catch {
      return ''
    }
    pause(1)
  }
}

const environAttempts = 20
const kernelThreads = 2

function mayHaveEnvironment(pid: number): boolean {
  const stat = readProcessStat(pid)
  return stat !== undefined && stat.state !== 'Z' && pid !== kernelThreads && stat.parent !== kernelThreads
}

/** Blocks: recovery decides what runs, and nothing else may happen before it has. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function marksOf(pid: number): readonly Pick<MarkedProcess, 'variable' | 'marker' | 'environment'>[] {
  const environment = readEnvironment(pid)
  return ([containerMarker, commandMarker] as const).flatMap((variable) => {
    const marker = environment[variable]
    return marker === undefined ? [] : [{ variable, marker, environment }]
  })
}
