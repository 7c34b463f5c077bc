import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'

/** On a revision: time of the last claim, in RFC 3339. */
export const claimedAtAnnotation = 'steadyvm.io/claimed-at'

/**
 * Milliseconds for which a claim protects a revision without references. The collector waits for
 * the whole time, while a claim is relied on for half of it: the rest covers slow writes and clock
 * skew.
 */
export const claimGraceMs: number = 10 * 60_000

/** Dependencies of {@link claimRevision}. */
export interface ClaimPorts {
  readonly client: Pick<Client, 'patch'>
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Protects a revision from the collector until the caller has stored a reference to it. Must be
 * called before every new reference: references that the collector did not see are younger than the
 * claim. A recent claim by another VM suffices, since thousands may share one revision.
 */
export async function claimRevision({ client, clock }: ClaimPorts, revision: ControllerRevision): Promise<void> {
  const now = clock.now()
  // A claim in the future was written with a wrong clock.
  if (Math.abs(now - (claimedAt(revision) ?? 0)) < claimGraceMs / 2) return
  const { name = '', namespace = '' } = revision.metadata
  await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body: { metadata: claimMetadata(now) } })
}

/** Returns the time of the last claim in milliseconds since the epoch. */
export function claimedAt({ metadata }: ControllerRevision): number | undefined {
  const at = Date.parse(metadata.annotations?.[claimedAtAnnotation] ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** Returns the metadata of a claim. */
export function claimMetadata(now: number): { readonly annotations: Record<string, string> } {
  return { annotations: { [claimedAtAnnotation]: timestamp(now) } }
}
