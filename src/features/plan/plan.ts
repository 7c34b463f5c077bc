import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { chooseKubeVirt, toClusterConfig } from '#features/cluster-config/index.ts'
import { applyChanges, type Applied } from './changes/apply-changes.ts'
import { families, identityOf, namedObject } from './cluster-state/named-objects.ts'
import type { ConfiguredState } from './cluster-state/configured-state.ts'
import { planVm } from './vm/plan-vm.ts'
import { referenceTo } from './reference.ts'
import { effects, type Change, type Effect, type Plan, type PlannedVm } from './types.ts'
import type { ClusterState } from './cluster-state/cluster-state.ts'

/** Narrows a plan to some VMs. */
export interface PlanOptions {
  /** Default: all VMs. */
  readonly selects?: (vm: VirtualMachine) => boolean
  /** Called periodically with the number of planned VMs. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Predicts the effect of some changes on each VM, without changing anything: with the search,
 * expansion and classification of admission and the VM controller. @throws ImpossibleChange
 */
export async function plan(before: ClusterState, changes: readonly Change[], options: PlanOptions = {}): Promise<Plan> {
  const applied = applyChanges(before, changes)
  const [from, to] = momentsOf(before, applied.cluster)
  const { selects = () => true, onProgress = () => {} } = options
  const candidates = applied.cluster.list(virtualMachines).filter((vm) => !isBeingDeleted(vm) && selects(vm))
  const concerns = concernedBy(applied, from.config !== to.config)
  const planned: PlannedVm[] = []
  for (const [index, after] of candidates.entries()) {
    if (index % 250 === 0) onProgress(index, candidates.length)
    const old = before.get(virtualMachines, keyOf(after))
    const isWritten = old?.spec !== after.spec
    if (concerns(after)) planned.push(await planVm(from, to, { before: old, after, isWritten }))
  }
  return {
    changes: applied.changes,
    refusals: applied.refusals,
    virtualMachines: planned.toSorted(byUrgency),
    summary: Object.fromEntries(effects.map((effect) => [effect, planned.filter((vm) => vm.effect === effect).length])) as Record<
      Effect,
      number
    >,
    unconcerned: candidates.length - planned.length,
  }
}

/**
 * The configuration is the same object for both when nothing of it changes, so that comparing is
 * cheap.
 */
function momentsOf(before: ClusterState, after: ClusterState): [ConfiguredState, ConfiguredState] {
  const [old, wanted] = [before, after].map((cluster) => chooseKubeVirt(cluster.list(kubeVirts)))
  const config = toClusterConfig(old)
  return [
    { cluster: before, config },
    { cluster: after, config: old === wanted ? config : toClusterConfig(wanted) },
  ]
}

/**
 * Reports whether a VM is changed, or names a changed object. A change of the configuration affects
 * all VMs.
 */
function concernedBy({ changes }: Applied, isConfigured: boolean): (vm: VirtualMachine) => boolean {
  if (isConfigured) return () => true
  const made = changes.filter(({ action }) => action !== 'none' && action !== 'refuse')
  const changed = new Set(made.map(({ object }) => identityOf(object)))
  return (vm) =>
    changed.has(identityOf(referenceTo('VirtualMachine', vm.metadata))) ||
    families.some((family) => {
      const named = namedObject(vm, family)
      return named !== undefined && changed.has(identityOf(named))
    })
}

function byUrgency(a: PlannedVm, b: PlannedVm): number {
  return effects.indexOf(a.effect) - effects.indexOf(b.effect) || a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name)
}
