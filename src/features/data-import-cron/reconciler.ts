import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act, cleanUp } from './act.ts'
import { decide } from './decide.ts'
import { observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { report } from './report.ts'

/** Milliseconds between tries to create what was refused. */
const refusedMs = 60_000

/**
 * Keeps the DataSource of a DataImportCron at the newest image that is complete. What it has made
 * is found by its labels, so that each pass follows from stored objects.
 */
export function createDataImportCronReconciler(shared: Ports): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const cron = ports.crons.get(namespace, name)
    if (cron === undefined || isBeingDeleted(cron)) {
      await cleanUp(ports, namespace, name)
      return done
    }
    const observed = observe(ports, cron)
    const decision = decide(observed)
    const outcome = await act(ports, observed, decision)
    if (outcome === undefined) return done
    await report(ports, observed, decision, outcome)
    const { refused, pollRefused, bootRefused } = outcome
    if ((refused ?? pollRefused ?? bootRefused) !== undefined) return recheckIn(Math.min(refusedMs, decision.recheckMs ?? refusedMs))
    return decision.recheckMs === undefined ? done : recheckIn(decision.recheckMs)
  }
}
