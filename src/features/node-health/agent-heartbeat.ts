import type { Node } from '#api/core/v1/node.ts'
import { healthNames } from './names.ts'

/** What a node agent says of itself with each heartbeat. */
export interface AgentReport {
  /** Mark of the launcher image of its release. */
  readonly release: string
  /** Guests of the node whose QEMU answers it. */
  readonly guests: number
}

/** As it is written in an annotation of the node. Pure. */
export function agentReportAnnotations(word: AgentReport): Readonly<Record<string, string>> {
  return { [healthNames.wordAnnotation]: JSON.stringify(word) }
}

/**
 * What was said last, and when, in milliseconds since the epoch. Without word the agent is of a
 * release that gives none. Pure.
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
