import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import type { VirtualMachinePool, VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import type { Informer, Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { expectationKey } from '#runtime/controller/expectations.ts'
import { done, recheckIn, type Reconciler, type Request, TerminalError } from '#runtime/controller/reconcile.ts'
import { decideAdoption } from '#runtime/ownership/adoption.ts'
import { controlledBy } from '#runtime/ownership/owner-index.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import { act, type Ports as ActPorts } from './act.ts'
import { decide, type Observed } from './decide.ts'
import { addFinalizer, detach, release, removeFinalizer } from './members/finalizer.ts'
import { report } from './report.ts'

/** Dependencies of the reconciler. */
export interface Ports extends ActPorts {
  readonly pools: Lister<VirtualMachinePool>
  readonly vms: Informer<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly revisions: Informer<ControllerRevision>
  readonly clock: Clock
}

/** Index of the informer of VMs: those with the finalizer, by namespace and name of their pool. */
export const membersByPool = 'pool.members'

/** Milliseconds until the end of a pool is tried again whose VMs the cache does not show yet. */
const settlingMs = 1000

/** Maintains the VMs of each pool: their number, their template and their guests. */
export function createPoolReconciler(ports: Ports): Reconciler {
  return async (request, { signal }) => {
    const cached = ports.pools.get(request.namespace, request.name)
    const stray = strays(ports, request, cached)
    for (const vm of stray) await release(ports, vm, signal)
    if (cached === undefined) return done
    if (!isBeingDeleted(cached) && !selectsItsTemplate(cached)) {
      throw new TerminalError('the selector does not match the labels of the template: the pool would create VMs without end')
    }
    const pool = isBeingDeleted(cached) ? cached : await addFinalizer(ports, cached, signal)
    const observed = await observe(ports, pool, signal)
    const decision = decide(observed)
    const failure = await act(ports, observed, decision, signal)
    if (isBeingDeleted(pool)) {
      if (failure !== undefined) throw failure.error
      if (!observed.isSettled) return recheckIn(settlingMs)
      // Released VMs come back as events.
      if (decision.release.length + stray.length === 0) await removeFinalizer(ports, pool, signal)
      return done
    }
    await report(ports, observed, decision, failure)
    if (failure !== undefined) throw failure.error
    return decision.requeueAfterMs === undefined ? done : recheckIn(decision.requeueAfterMs)
  }
}

function selectsItsTemplate({ spec }: VirtualMachinePool): boolean {
  return workloadSelector(spec.selector)?.matches(spec.virtualMachineTemplate.metadata?.labels) === true
}

/** Reads what belongs to the pool, and lets VMs go that no longer have its labels. */
async function observe(ports: Ports, pool: VirtualMachinePool, signal: AbortSignal): Promise<Observed> {
  const { vms, vmis, revisions, expectations, clock } = ports
  const { namespace = '' } = pool.metadata
  // Asked before the VMs are read: one that appears in between is then counted.
  const isSettled = expectations.satisfied(expectationKey(pool))
  const claimant = { resource: virtualMachinePools, owner: pool, selector: workloadSelector(pool.spec.selector) }
  const own: VirtualMachine[] = []
  for (const vm of controlledBy(vms, pool)) {
    if (decideAdoption(claimant, vm) === 'release') await detach(ports, vm, pool, signal)
    else own.push(vm)
  }
  const specs = controlledBy(revisions, pool).map(
    ({ metadata, data }) => [metadata.name ?? '', data as unknown as VirtualMachinePoolSpec] as const,
  )
  return {
    pool,
    vms: own,
    vmiOf: (vm) => {
      const vmi = vmis.get(namespace, vm.metadata.name ?? '')
      return vmi !== undefined && isControlledBy(vmi, vm) ? vmi : undefined
    },
    revisions: new Map(specs),
    isTaken: (name) => vms.get(namespace, name) !== undefined,
    isSettled,
    now: clock.now(),
  }
}

/** Returns VMs with the finalizer that no pool controls, or one that is gone. */
function strays({ vms }: Ports, { namespace, name }: Request, pool?: VirtualMachinePool): readonly VirtualMachine[] {
  const members = vms.byIndex(membersByPool, `${namespace}/${name}`)
  return pool === undefined ? members : members.filter((vm) => !isControlledBy(vm, pool))
}
