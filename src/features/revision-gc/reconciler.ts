import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { Client } from '#client/client.ts'
import { deleteRevision } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import type { Logger } from '#runtime/log.ts'
import { decide } from './decide.ts'
import { findReferenced } from './find-referenced.ts'

/** Index of the shared revisions by their namespace. */
export const sharedByNamespace = 'shared'

/** What the collector needs from the world. */
export interface Ports {
  readonly client: Pick<Client, 'list' | 'delete'>
  readonly revisions: Pick<Lister<ControllerRevision>, 'byIndex'>
  /**
   * Whether something in the caches names the revision. Saves most questions; what it does not know
   * is asked of the API.
   */
  readonly isNamed: (revision: ControllerRevision) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

/**
 * Deletes the shared revisions of a namespace (the request's name) that nobody names any more.
 * Three things keep it from deleting one that somebody is about to name: who does claims it first,
 * so that a claim which is over says that whoever has made it is through; everything that can name
 * one is asked for after that; and whoever claims it in the meantime changes it, so that the
 * deletion fails.
 */
export function createRevisionCollector(ports: Ports): Reconciler {
  return async ({ name: namespace }, { signal }) => {
    const shared = ports.revisions.byIndex(sharedByNamespace, namespace)
    const { candidates: suspects, recheckMs } = decide(shared, ports.isNamed, ports.clock.now())
    if (suspects.length > 0) await collect(ports, { namespace, candidates: suspects, signal })
    return recheckMs === undefined ? done : recheckIn(recheckMs)
  }
}

interface Collection {
  readonly namespace: string
  readonly candidates: readonly ControllerRevision[]
  readonly signal: AbortSignal
}

async function collect({ client, log }: Ports, { namespace, candidates: suspects, signal }: Collection): Promise<void> {
  const names = suspects.map(({ metadata }) => metadata.name ?? '')
  const named = await findReferenced(client, namespace, names, signal)
  for (const revision of suspects) {
    const { name = '' } = revision.metadata
    // Somebody may be faster: with deleting it, or with claiming it.
    if (named.has(name) || !(await deleteRevision(client, revision))) continue
    log.info({ namespace, name }, 'Deleted a shared revision that nothing names any more')
  }
}
