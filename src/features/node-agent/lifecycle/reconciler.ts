import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { done, recheckIn, type Reconciler, type Request, type Result } from '#runtime/controller/reconcile.ts'
import { act, removeGuest, quitPatienceMs } from './act.ts'
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
import { portsOf, type Ports } from '../guest/ports.ts'

/** Limit of steps in one round; more than any guest takes in a row. */
const maxSteps = 10

/** Reconciles the guests of this node with their VMIs. */
export function createGuestReconciler(ports: Ports): Reconciler {
  return async (request, { signal }) => {
    const known = latest(ports.vmis.get(request.namespace, request.name), ports.incomingVmis.get(request.namespace, request.name))
    const vmi = known !== undefined && isConcerned(known, ports.nodeName) ? known : undefined
    const podUid = vmi === undefined ? undefined : podUidOf(ports, vmi)
    if (podUid !== undefined) ports.guests.getOrCreate(podUid, request)
    const results: Result[] = []
    for (const guest of ports.guests.forVmi(request)) {
      results.push(await reconcileGuest(portsOf(ports, guest), guest, { request, vmi: guest.podUid === podUid ? vmi : undefined, signal }))
    }
    return soonest(results)
  }
}

/** Input for the reconcile of one guest. */
interface Target {
  readonly request: Request
  /** Undefined when no VMI in the caches owns the guest of this pod. */
  readonly vmi: VirtualMachineInstance | undefined
  readonly signal: AbortSignal
}

/** Takes steps until one has to wait. An abort ends the round between two steps. */
async function reconcileGuest(ports: Ports, guest: Guest, { request, vmi, signal }: Target): Promise<Result> {
  if (vmi === undefined) {
    const result = await reconcileUnclaimed(ports, guest, request)
    if (result !== undefined) return result
  }
  let current = vmi
  for (let count = 0; count < maxSteps; count++) {
    if (signal.aborted) return done
    // The last step may have handed the guest over to the other node of a migration.
    if (current !== undefined && !isConcerned(current, ports.nodeName)) return recheckIn(0)
    const progress = await takeStep(ports, guest, current, signal)
    if (!progress.again) return progress.result
    current = progress.vmi
  }
  return recheckIn(0)
}

/** Observes the guest, decides one step and acts. Each act reports in the VMI's status. */
async function takeStep(ports: Ports, guest: Guest, vmi: VirtualMachineInstance | undefined, signal: AbortSignal): Promise<Progress> {
  const role = vmi === undefined ? undefined : migrationRoleOf(vmi, ports.nodeName)
  // The lifecycle starts when the target owns the guest.
  if (vmi !== undefined && role?.role === 'target') return advanceTarget(ports, { guest, vmi, state: role.state, signal })
  const { observed, record } = await observe(ports, guest, vmi)
  if (vmi !== undefined && record !== undefined) {
    const progress = await advanceMigration(ports, role, { guest, record, vmi, observed })
    if (progress !== undefined) return progress
  }
  const step = decide(observed, ports.clock.now())
  const { namespace, name } = vmi?.metadata ?? record?.vmi ?? {}
  ports.log.debug({ namespace, name, step: step.kind, runState: observed.runState }, 'Step of a guest')
  return act(ports, { guest, record, vmi }, step, signal)
}

/** Takes the next migration step on the node that runs the guest. Undefined when there is none. */
async function advanceMigration(
  ports: Ports,
  role: MigrationRole | undefined,
  context: Omit<SourceMigration, 'state'>,
): Promise<Progress | undefined> {
  if (role === undefined) {
    await context.guest.endMigration()
    return resumeAfterFailedMigration(ports, context)
  }
  context.guest.beginMigration()
  if (role.role === 'source') return advanceSource(ports, { ...context, state: role.state })
  return context.observed.launcher === 'running' ? finishMigration(ports, { ...context, state: role.state }) : undefined
}

/**
 * Handles a guest without a VMI in the caches. Undefined when the API confirms that the VMI is gone
 * and the guest has to be ended.
 */
async function reconcileUnclaimed(ports: Ports, guest: Guest, request: Request): Promise<Result | undefined> {
  const record = await guest.record()
  if (record === undefined) {
    await ports.network?.detach(guest.podUid)
    await guest.removeSockets()
    ports.guests.forget(guest)
    return done
  }
  if (await hasMovedAway(ports, guest, record)) return endLeftover(ports, guest)
  const result = await superviseFormerSource(ports, guest, record)
  if (result !== undefined) return result
  return (await isOrphan(ports, request, record)) ? undefined : done
}

/** Returns the copy with the higher resourceVersion. */
function latest(one: VirtualMachineInstance | undefined, other: VirtualMachineInstance | undefined): VirtualMachineInstance | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Number(other.metadata.resourceVersion) > Number(one.metadata.resourceVersion) ? other : one
}

/**
 * Ends QEMU without the power button: the guest runs on another node, or never started on this one.
 */
async function endLeftover(ports: Ports, guest: Guest): Promise<Result> {
  if ((await guest.inspect()).kind === 'running') {
    await guest.runState()
    await guest.end(ports.clock.now(), quitPatienceMs)
    return recheckIn(100)
  }
  await removeGuest(ports, guest)
  return done
}

function soonest(results: readonly Result[]): Result {
  const times = results.flatMap(({ requeueAfterMs }) => (requeueAfterMs === undefined ? [] : [requeueAfterMs]))
  return times.length === 0 ? done : { requeueAfterMs: Math.min(...times) }
}
