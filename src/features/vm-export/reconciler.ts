import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { act } from './act.ts'
import { decide, expirationOf, isServing, type Observed } from './decide.ts'
import { observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { report } from './report.ts'

/** KubeVirt's. Milliseconds until a source that is not available is looked at again. */
const pollMs = 3_000
/** Milliseconds until a served source is looked at again: pods of others cause no event. */
const guardMs = 15_000
/** Timers have a limit. */
const longestMs = 3_600_000

/** Creates the reconciler of exports, which serves what they name while no one writes to it. */
export function createExportReconciler(ports: Ports): Reconciler {
  return async (request, { signal }) => {
    const observed = await observe(ports, request, signal)
    if (observed === undefined) return done
    const step = decide(observed)
    await act(ports, observed, step, signal)
    await report(ports, observed, step, signal)
    return step.kind === 'keep' ? nextLook(observed) : done
  }
}

function nextLook({ vmExport, source, pod, now }: Observed): Result {
  const left = expirationOf(vmExport) - now
  return recheckIn(Math.min(left, source.isPolled === true ? pollMs : isServing(pod) ? guardMs : longestMs))
}
