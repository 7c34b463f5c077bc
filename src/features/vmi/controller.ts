import { nodes, persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { launchersIn } from './launcher/launcher-cache.ts'
import type { Ports } from './ports.ts'
import { createVirtualMachineInstanceReconciler } from './reconciler.ts'
import { createPodResizer } from './resize/pod-resizer.ts'
import { claimNames } from './storage/volume-status.ts'

/** Dependencies of the controller. */
export interface VirtualMachineInstanceControllerOptions
  extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'launcherImage' | 'inContainer' | 'hasImageVolumes'> {
  readonly live: LiveConfig
}

/** Index of VMIs by their claims. */
const vmisByClaim = 'claim'

/** Creates the controller of VMIs. */
export function createVirtualMachineInstanceController({ informers, live, ...options }: VirtualMachineInstanceControllerOptions): Runnable {
  const vmis = informers.informer(virtualMachineInstances)
  const launchers = launchersIn(informers)
  const claims = informers.informer(persistentVolumeClaims)
  vmis.addIndex(vmisByClaim, ({ metadata, ...vmi }) => claimNames(vmi).map((name) => `${metadata.namespace ?? ''}/${name}`))
  const ofClaim = watchResource(
    claims,
    ({ metadata }) => vmis.byIndex(vmisByClaim, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).flatMap(enqueueSelf),
    // At the start every VMI is reconciled anyway.
    { predicate: () => vmis.hasSynced },
  )
  return createController({
    ...options,
    name: 'virtualmachineinstance',
    reconciler: createVirtualMachineInstanceReconciler({
      ...options,
      config: live.config,
      vmis,
      pods: launchers,
      claims,
      nodes: informers.informer(nodes),
      resizer: createPodResizer(options),
    }),
    sources: [
      watchResource(vmis, enqueueSelf),
      watchResource(launchers, enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachineInstance' })),
      ofClaim,
      // Only delays reconciles until the configuration is known: existing launchers do not change.
      live.wake(() => []),
    ],
  })
}
