import type { Pod } from '#api/core/v1/pod.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { migrationsByVmi } from '#features/evacuation/index.ts'
import type { EvictionConfig } from '#features/eviction/index.ts'
import { podsByVmi } from '#features/vmi/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { createOwnWrites, patienceMs, type OwnWrites } from '#runtime/cache/own-writes.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { budgetNameOf, budgetsByVmi, buildBudget } from './budget.ts'
import { decide, type Step } from './decide.ts'

/** Dependencies of the disruption budget reconciler. */
export interface Ports {
  readonly client: Pick<Client, 'create' | 'patch' | 'delete'>
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'get'>
  /** Launcher pods, indexed by {@link podsByVmi}. */
  readonly pods: Pick<Lister<Pod>, 'byIndex'>
  /** Indexed by `migrationsByVmi`. */
  readonly migrations: Pick<Lister<VirtualMachineInstanceMigration>, 'byIndex'>
  /** Indexed by `budgetsByVmi`. */
  readonly budgets: Pick<Lister<PodDisruptionBudget>, 'get' | 'byIndex'>
  readonly clock: Pick<Clock, 'now'>
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => EvictionConfig
}

/** Keeps a disruption budget for each guest that an eviction must not shut down. */
export function createDisruptionBudgetReconciler(ports: Ports): Reconciler {
  const own = createOwnWrites(ports)
  return async ({ namespace, name }, { signal }) => {
    const vmi = ports.vmis.get(namespace, name)
    const budgets = vmi === undefined ? [] : ports.budgets.byIndex(budgetsByVmi, vmi.metadata.uid ?? '')
    const observed = {
      vmi,
      pods: vmi === undefined ? [] : ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? ''),
      isMigrating: ports.migrations.byIndex(migrationsByVmi, `${namespace}/${name}`).some((migration) => !isMigrationFinal(migration)),
      budget: vmi === undefined ? undefined : ports.budgets.get(namespace, budgetNameOf(vmi)),
      others: budgets.filter((budget) => vmi !== undefined && budget.metadata.name !== budgetNameOf(vmi) && !isBeingDeleted(budget)),
    }
    if (observed.budget !== undefined && own.isBehind(observed.budget)) return recheckIn(patienceMs)
    if (vmi !== undefined) await act(withSignal(ports.client, signal), own, vmi, decide(observed, ports.config()))
    return done
  }
}

async function act(client: Ports['client'], own: OwnWrites, vmi: VirtualMachineInstance, step: Step): Promise<void> {
  try {
    switch (step.kind) {
      case 'none':
        return
      case 'create':
        await client.create<PodDisruptionBudget>(podDisruptionBudgets, buildBudget(vmi, step.minAvailable))
        return
      case 'resize':
        return own.note(await resize(client, step))
      case 'delete':
        return await client.delete(podDisruptionBudgets, keyOf(step.budget), { preconditions: preconditionsOf(step.budget) })
    }
  } catch (error) {
    // Done already, or changed by another client: the watch event requeues the VMI.
    if (!isAlreadyExists(error) && !isNotFound(error) && !isConflict(error)) throw error
  }
}

function resize(client: Ports['client'], { budget, minAvailable }: Extract<Step, { kind: 'resize' }>): Promise<PodDisruptionBudget> {
  // The migration controller may have raised it meanwhile.
  return patchIfUnchanged(client, podDisruptionBudgets, budget, { spec: { minAvailable } })
}

/**
 * Raises the budget of a guest, if it has one, before its target pod is created. Otherwise one of
 * the two pods could be evicted.
 */
export async function raiseBudgetForMigration(client: Pick<Client, 'patch'>, vmi: VirtualMachineInstance): Promise<void> {
  const key = { namespace: vmi.metadata.namespace ?? '', name: budgetNameOf(vmi) }
  try {
    await client.patch(podDisruptionBudgets, key, { type: 'merge', body: { spec: { minAvailable: 2 } } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function preconditionsOf({ metadata }: PodDisruptionBudget): { uid?: string; resourceVersion?: string } {
  const { uid, resourceVersion } = metadata
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
}
