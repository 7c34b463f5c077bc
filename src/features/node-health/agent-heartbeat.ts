import type { Node } from '#api/core/v1/node.ts'
import { healthNames } from './names.ts'

/** State that a node agent reports with each heartbeat. */
export interface AgentReport {
  /** Hash of the launcher image of its release. */
  readonly release: string
  /** Guests of the node whose QEMU answers the agent. */
  readonly guests: number
}

/** Returns the report as an annotation of the node. Pure. */
export function agentReportAnnotations(word: AgentReport): Readonly<Record<string, string>> {
  return { [healthNames.wordAnnotation]: JSON.stringify(word) }
}

/**
 * Returns report and time of the last heartbeat, in milliseconds since the epoch. Agents of older
 * releases send no report. Pure.
 */
export function lastHeartbeat({ metadata }: Node): { readonly atMs: number | undefined; readonly word: AgentReport | undefined } {
  const at = Date.parse((metadata.annotations?.[healthNames.heartbeatAnnotation] ?? '').replaceAll('"', ''))
  return { atMs: Number.isNaN(at) ? undefined : at, word: parse(metadata.annotations?.[healthNames.wordAnnotation]) }
}

function parse(text: string | undefined): AgentReport | undefined {
  try {
    const { release, guests } = JSON.parse(text ?? '{}') as Partial<AgentReport>
    return typeof release === 'string' && typeof guests === 'number' ? { release, guests } : undefined
  } catch {
    return undefined
  }
}
