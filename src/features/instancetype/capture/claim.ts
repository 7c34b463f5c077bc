import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { timestamp, type Clock } from '#runtime/clock.ts'

/** On a revision: when somebody was last about to name it, in RFC 3339. */
export const claimedAtAnnotation = 'steadyvm.io/claimed-at'

/**
 * Milliseconds for which a claim protects a revision that nobody names yet. Who deletes waits for
 * all of it; who claims relies on half of it. The other half is what a write may take to arrive,
 * and what two clocks may differ by.
 */
export const claimGraceMs: number = 10 * 60_000

/** What claiming needs. */
export interface ClaimPorts {
  readonly client: Pick<Client, 'patch'>
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Tells who deletes what nobody names that a revision is about to be named, so that it stays.
 * Whoever names one that he does not name yet calls this before: the references that the collector
 * has not seen when it looked are younger than the claim. Thousands may claim one, so that a fresh
 * claim of another will do.
 */
export async function claimRevision({ client, clock }: ClaimPorts, revision: ControllerRevision): Promise<void> {
  const now = clock.now()
  // A claim of the future is that of a wrong clock.
  if (Math.abs(now - (claimedAt(revision) ?? 0)) < claimGraceMs / 2) return
  const { name = '', namespace = '' } = revision.metadata
  await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body: { metadata: claimMetadata(now) } })
}

/** When it was last claimed, in milliseconds since the epoch; undefined when it never was. */
export function claimedAt({ metadata }: ControllerRevision): number | undefined {
  const at = Date.parse(metadata.annotations?.[claimedAtAnnotation] ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** The claim itself. */
export function claimMetadata(now: number): { readonly annotations: Record<string, string> } {
  return { annotations: { [claimedAtAnnotation]: timestamp(now) } }
}
