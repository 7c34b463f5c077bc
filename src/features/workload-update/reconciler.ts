import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { createGuestReader } from './guests/read-guest.ts'
import { updateCandidates, observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { report } from './report.ts'
import { workloadUpdateSettings } from './settings.ts'

/** Milliseconds between passes. */
const pauseMs = 2_000
/** Milliseconds after which a created migration that is not in the cache has been deleted. */
const patienceMs = 30_000

/** Updates guests to the launcher of this release; the request names the KubeVirt object. */
export function createWorkloadUpdateReconciler(shared: Ports): Reconciler {
  const read = createGuestReader(shared)
  let nextMs = 0
  let asked: { readonly keys: readonly string[]; readonly untilMs: number } = { keys: [], untilMs: 0 }
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const kubevirt = ports.kubevirts.get(namespace, name)
    if (kubevirt === undefined || chooseKubeVirt(ports.kubevirts.list()) !== kubevirt) return done
    const nowMs = ports.clock.now()
    if (nowMs < nextMs) return recheckIn(nextMs - nowMs)
    nextMs = nowMs + pauseMs
    // Migrations that are missing in the cache would not be counted against the limits.
    if (nowMs < asked.untilMs && asked.keys.some((key) => !isSeen(ports, key))) return recheckIn(pauseMs)
    const observed = observe(ports, kubevirt, updateCandidates(ports), read)
    const decision = decide(observed, workloadUpdateSettings(kubevirt, ports.config()), nowMs)
    asked = { keys: await act(ports, kubevirt, decision), untilMs: nowMs + patienceMs }
    const isAllSaid = await report(ports, kubevirt, observed, decision)
    const recheckMs = isAllSaid ? decision.recheckAt - nowMs : pauseMs
    return recheckMs === Infinity ? done : recheckIn(Math.max(recheckMs, pauseMs))
  }
}

function isSeen({ migrations }: Ports, key: string): boolean {
  const [namespace = '', name = ''] = key.split('/')
  return migrations.get(namespace, name) !== undefined
}
