import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { Client } from '#client/client.ts'
import { deleteRevision } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import type { Logger } from '#runtime/process/log.ts'
import { decide } from './decide.ts'
import { findReferenced } from './find-referenced.ts'

/** Index of the shared revisions by their namespace. */
export const sharedByNamespace = 'shared'

/** Dependencies of the collector. */
export interface Ports {
  readonly client: Pick<Client, 'list' | 'delete'>
  readonly revisions: Pick<Lister<ControllerRevision>, 'byIndex'>
  /**
   * Reports whether the caches show a reference to the revision. Saves most requests; otherwise the
   * API is asked.
   */
  readonly isNamed: (revision: ControllerRevision) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

/**
 * Creates the collector that deletes unreferenced shared revisions of a namespace (the name of the
 * request). Three things protect a revision that is about to be referenced: its client claims it
 * first, so that an expired claim means that the reference is written; all possible references are
 * listed after that; and a later claim changes the revision, so that the deletion fails.
 */
export function createRevisionCollector(unbound: Ports): Reconciler {
  return async ({ name: namespace }, { signal }) => {
    const ports = { ...unbound, client: withSignal(unbound.client, signal) }
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
    // Another process may have deleted or claimed it.
    if (named.has(name) || !(await deleteRevision(client, revision))) continue
    log.info({ namespace, name }, 'Deleted a shared revision that nothing names any more')
  }
}
