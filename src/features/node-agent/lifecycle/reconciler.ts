import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { done, recheckIn, type Reconciler, type Request, type Result } from '#runtime/controller/reconcile.ts'
import { act, quitPatienceMs } from './act.ts'
import type { Progress } from '../guest/progress.ts'
import { decide } from './decide.ts'
import type { Guest } from '../guest/guest.ts'
import { hasMovedAway, isOrphan, observe, podUidOf } from '../guest/observe.ts'
import { finishMigration } from '../migration/target/finish.ts'
import type { SourceMigration } from '../migration/source/context.ts'
import { isConcerned, migrationRoleOf, type MigrationRole } from '../migration/role.ts'
import { advanceSource } from '../migration/source/step.ts'
import { superviseFormerSource, resumeAfterFailedMigration } from '../migration/source/recover.ts'
import { advanceTarget } from '../migration/target/step.ts'
import type { Ports } from '../guest/ports.ts'

/** More steps than any guest takes in a row; then others get their turn. */
const mostSteps = 10

/** Keeps the guests of this node as their VMIs want them. */
export function createGuestReconciler(ports: Ports): Reconciler {
  return async (request, { signal }) => {
    const known = latest(ports.vmis.get(request.namespace, request.name), ports.incomingVmis.get(request.namespace, request.name))
    const vmi = known !== undefined && isConcerned(known, ports.nodeName) ? known : undefined
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
  if (vmi === undefined) {
    const record = await guest.record()
    if (record !== undefined && (await hasMovedAway(ports, guest, record))) return dismiss(ports, guest)
    const needed = record === undefined ? undefined : await superviseFormerSource(ports, guest, record)
    if (needed !== undefined) return needed
    if (!(await mayEnd(ports, guest, request))) return done
  }
  for (let count = 0; count < mostSteps; count++) {
    // It may have gone in between to where it was to go, or stayed where it was.
    if (vmi !== undefined && !isConcerned(vmi, ports.nodeName)) return recheckIn(0)
    const move = vmi === undefined ? undefined : migrationRoleOf(vmi, ports.nodeName)
    if (vmi !== undefined && move?.role === 'target') {
      const progress = await advanceTarget(ports, { guest, vmi, state: move.state, signal })
      if (!progress.again) return progress.result
      vmi = progress.vmi
      continue
    }
    const { observed, record } = await observe(ports, guest, vmi)
    if (vmi !== undefined && record !== undefined) {
      const progress = await moveStep(ports, move, { guest, record, vmi, observed })
      if (progress !== undefined) {
        if (!progress.again) return progress.result
        vmi = progress.vmi
        continue
      }
    }
    const step = decide(observed, ports.clock.now())
    ports.log.debug({ namespace: request.namespace, name: request.name, step: step.kind, runState: observed.runState }, 'Step of a guest')
    const progress: Progress = await act(ports, { guest, record, vmi }, step, signal)
    if (!progress.again) return progress.result
    vmi = progress.vmi
  }
  return { requeueAfterMs: 0 }
}

/** What moving asks of a node where the guest is. Undefined when that is nothing. */
async function moveStep(
  ports: Ports,
  move: MigrationRole | undefined,
  subject: Omit<SourceMigration, 'state'>,
): Promise<Progress | undefined> {
  if (move === undefined) return resumeAfterFailedMigration(ports, subject)
  if (move.role === 'source') return advanceSource(ports, { ...subject, state: move.state })
  return subject.observed.launcher === 'running' ? finishMigration(ports, { ...subject, state: move.state }) : undefined
}

/** Of what two caches say, the newer. */
function latest(one: VirtualMachineInstance | undefined, other: VirtualMachineInstance | undefined): VirtualMachineInstance | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Number(other.metadata.resourceVersion) > Number(one.metadata.resourceVersion) ? other : one
}

/**
 * The guest lives on another node now, or has never come to this one: what is left of it here has
 * to end, and not by its power button.
 */
async function dismiss(ports: Ports, guest: Guest): Promise<Result> {
  if ((await guest.inspect()).kind === 'running') {
    await guest.runState()
    await guest.end(ports.clock.now(), quitPatienceMs)
    return recheckIn(100)
  }
  await guest.cleanUp()
  ports.guests.forget(guest)
  return done
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
