import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { report } from './report.ts'

/**
 * Migrates evicted guests away from a node, which the request names. The migration controller
 * limits how many run in parallel.
 */
export function createEvacuationReconciler(shared: Ports): Reconciler {
  return async ({ name: nodeName }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const { observed, guests } = observe(ports, nodeName)
    const nowMs = ports.clock.now()
    let recheckAt = Infinity
    for (const guest of guests) {
      const plan = decide(observed, guest, ports.config(), nowMs)
      if (plan === undefined) continue
      await act(ports, nodeName, guest, plan)
      await report(ports, guest, plan)
      recheckAt = Math.min(recheckAt, plan.recheckAt ?? Infinity)
    }
    return recheckAt === Infinity ? done : recheckIn(recheckAt - nowMs)
  }
}
