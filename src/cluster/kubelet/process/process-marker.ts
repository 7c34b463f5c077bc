import { readdirSync, readFileSync } from 'node:fs'
import { readProcessStat } from './process-identity.ts'

/** Environment variable that tells whose process this is. It stays readable in `/proc` even after the program replaced itself. */
export const containerMarker = 'STEADYVM_CONTAINER'
/** The same for a command that runs beside a container: a probe or a hook. */
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

/** All living marked processes whose marker starts with the prefix. Reads the whole of `/proc`: for start-up and clean-up only. */
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

/** Whether this process carries exactly this container marker. */
export function carriesMarker(pid: number, marker: string): boolean {
  return marksOf(pid).some((mark) => mark.variable === containerMarker && mark.marker === marker)
}

/** The environment that a process was started with; empty when it is gone or not ours to read. */
export function readEnvironment(pid: number): Readonly<Record<string, string>> {
  let text
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return {}
  }
  const pairs = text.split('\0').filter((pair) => pair.includes('='))
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

function marksOf(pid: number): readonly Pick<MarkedProcess, 'variable' | 'marker' | 'environment'>[] {
  const environment = readEnvironment(pid)
  return ([containerMarker, commandMarker] as const).flatMap((variable) => {
    const marker = environment[variable]
    return marker === undefined ? [] : [{ variable, marker, environment }]
  })
}
