import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { done, type Reconciler, type Request, type Result } from '#runtime/controller/reconcile.ts'
import { act, type Progress } from './act.ts'
import { decide } from './decide.ts'
import type { Guest } from './guest.ts'
import { isOrphan, observe, podUidOf } from './observe.ts'
import type { Ports } from './ports.ts'

/** More steps than any guest takes in a row; then others get their turn. */
const mostSteps = 10

/** Keeps the guests of this node as their VMIs want them. */
export function createGuestReconciler(ports: Ports): Reconciler {
  return async (request, { signal }) => {
    const vmi = ports.vmis.get(request.namespace, request.name)
    const podUid = vmi === undefined ? undefined : podUidOf(ports, vmi)
    if (podUid !== undefined) ports.guests.at(podUid, request)
    const results: Result[] = []
    for (const guest of ports.guests.of(request)) {
      results.push(await reconcileGuest(ports, guest, { request, vmi: guest.podUid === podUid ? vmi : undefined, signal }))
    }
    return soonest(results)
  }
}

interface Situation {
  readonly request: Request
  readonly vmi: VirtualMachineInstance | undefined
  readonly signal: AbortSignal
}

async function reconcileGuest(ports: Ports, guest: Guest, situation: Situation): Promise<Result> {
  const { request, signal } = situation
  let { vmi } = situation
  if (vmi === undefined && !(await mayEnd(ports, guest, request))) return done
  for (let count = 0; count < mostSteps; count++) {
    const { observed, record } = await observe(ports, guest, vmi)
    const step = decide(observed, ports.clock.now())
    ports.log.debug({ namespace: request.namespace, name: request.name, step: step.kind, runState: observed.runState }, 'Step of a guest')
    const progress: Progress = await act(ports, { guest, record, vmi }, step, signal)
    if (!progress.again) return progress.result
    vmi = progress.vmi
  }
  return { requeueAfterMs: 0 }
}

/** A guest without VMI is ended only when the API itself confirms that there is none. */
async function mayEnd(ports: Ports, guest: Guest, request: Request): Promise<boolean> {
  const record = await guest.record()
  if (record !== undefined) return isOrphan(ports, request, record)
  ports.guests.forget(guest)
  return false
}

function soonest(results: readonly Result[]): Result {
  const times = results.flatMap(({ requeueAfterMs }) => (requeueAfterMs === undefined ? [] : [requeueAfterMs]))
  return times.length === 0 ? done : { requeueAfterMs: Math.min(...times) }
}
