import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { removeServer } from '../fill/serve-source.ts'
import { names } from '../names.ts'
import { workersByUid, type FillPorts } from '../ports.ts'
import { workerState } from '../worker/worker-state.ts'

/**
 * Deletes each pod that serves a volume when the worker that it serves has ended or is gone. No
 * owner can do that: it would be in another namespace.
 */
export function createSourcePodReconciler(shared: FillPorts): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const server = ports.servers.get(namespace, name)
    if (server === undefined || isBeingDeleted(server)) return done
    const worker = ports.workers.byIndex(workersByUid, server.metadata.labels?.[names.servesLabel] ?? '')[0]
    const isNeeded = worker !== undefined && !['leaving', 'succeeded', 'failed', 'lost'].includes(workerState(worker).kind)
    if (!isNeeded) await removeServer(ports, server)
    return done
  }
}
