import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { chooseKubeVirt, toClusterConfig } from '#features/cluster-config/index.ts'
import { instancetypeKindOf, preferenceKindOf } from '#features/instancetype/index.ts'
import { applyChanges, type Applied } from './apply-changes.ts'
import { planVm, type Moment } from './plan-vm.ts'
import { effects, type Change, type Effect, type Plan, type PlannedVm } from './types.ts'
import type { World } from './world.ts'

/** Narrows a plan to some VMs. */
export interface PlanOptions {
  /** Default: all VMs. */
  readonly selects?: (vm: VirtualMachine) => boolean
  /** Called now and then with the number of VMs that have been looked at. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Predicts what some changes do to each VM, without doing anything: by the same search, the same expansion and the same classification that admission and
 * the VM controller use. @throws ImpossibleChange
 */
export async function plan(before: World, changes: readonly Change[], options: PlanOptions = {}): Promise<Plan> {
  const applied = applyChanges(before, changes)
  const [from, to] = momentsOf(before, applied.world)
  const { selects = () => true, onProgress = () => {} } = options
  const candidates = applied.world.list(virtualMachines).filter((vm) => vm.metadata.deletionTimestamp === undefined && selects(vm))
  const concerns = concernedBy(applied, from.config !== to.config)
  const planned: PlannedVm[] = []
  for (const [index, after] of candidates.entries()) {
    if (index % 250 === 0) onProgress(index, candidates.length)
    const old = before.get(virtualMachines, { namespace: after.metadata.namespace ?? '', name: after.metadata.name ?? '' })
    const isWritten = old !== after
    if (isWritten || concerns(after)) planned.push(await planVm(from, to, { before: old, after, isWritten }))
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

/** The configuration is the same object for both when nothing of it changes, so that comparing is cheap. */
function momentsOf(before: World, after: World): [Moment, Moment] {
  const [old, wanted] = [before, after].map((world) => chooseKubeVirt(world.list(kubeVirts)))
  const config = toClusterConfig(old)
  return [
    { world: before, config },
    { world: after, config: old === wanted ? config : toClusterConfig(wanted) },
  ]
}

/** Whether a VM names one of the changed objects. A change of the configuration concerns all of them. */
function concernedBy({ changes }: Applied, isConfigured: boolean): (vm: VirtualMachine) => boolean {
  if (isConfigured) return () => true
  const changed = new Set(
    changes
      .filter(({ action }) => action === 'create' || action === 'edit')
      .map(({ object }) => `${object.kind}/${object.namespace ?? ''}/${object.name}`),
  )
  return ({ spec, metadata }) => namesOf(spec, metadata.namespace ?? '').some((name) => changed.has(name))
}

function namesOf({ instancetype, preference }: VirtualMachine['spec'], namespace: string): string[] {
  try {
    return [
      ...(instancetype === undefined ? [] : spellings(instancetypeKindOf(instancetype), namespace, instancetype.name)),
      ...(preference === undefined ? [] : spellings(preferenceKindOf(preference), namespace, preference.name)),
    ]
  } catch {
    // A kind that does not exist names nothing.
    return []
  }
}

function spellings(kind: string, namespace: string, name: string | undefined): string[] {
  return [`${kind}/${kind.includes('Cluster') ? '' : namespace}/${name ?? ''}`]
}

function byUrgency(a: PlannedVm, b: PlannedVm): number {
  return effects.indexOf(a.effect) - effects.indexOf(b.effect) || a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name)
}
