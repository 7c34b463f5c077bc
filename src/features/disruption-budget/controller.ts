import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { launchersIn } from '#features/vmi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { budgetsByVmi, vmiUids } from './budget.ts'
import { createDisruptionBudgetReconciler, type Ports } from './reconciler.ts'

/** Dependencies of the controller. The evacuation controller adds the index of migrations. */
export interface DisruptionBudgetOptions extends SharedControllerOptions, Pick<Ports, 'client'> {
  readonly live: Pick<LiveConfig, 'config' | 'wake'>
}

/** Creates the controller of the disruption budgets of guests. */
export function createDisruptionBudgetController({ informers, live, ...options }: DisruptionBudgetOptions): Runnable {
  const vmis = informers.informer(virtualMachineInstances)
  const launchers = launchersIn(informers)
  // All of them: those of older controllers have no label.
  const budgets = informers.informer(podDisruptionBudgets)
  budgets.addIndex(budgetsByVmi, vmiUids)
  const migrations = informers.informer(virtualMachineInstanceMigrations)
  const owner = enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachineInstance' })
  return createController({
    ...options,
    name: 'disruption-budget',
    reconciler: createDisruptionBudgetReconciler({ ...options, config: live.config, vmis, pods: launchers, migrations, budgets }),
    sources: [
      watchResource(vmis, enqueueSelf),
      watchResource(launchers, owner),
      watchResource(migrations, guestOf),
      watchResource(budgets, owner),
      // The cluster's eviction strategy applies to guests without their own.
      live.wake(() => vmis.list().flatMap(enqueueSelf)),
    ],
  })
}

function guestOf({ metadata, spec }: VirtualMachineInstanceMigration): readonly Request[] {
  return [{ namespace: metadata.namespace ?? '', name: spec.vmiName ?? '' }]
}
