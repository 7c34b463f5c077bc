import { cdiConfigs, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { nodes, persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { enqueueMapped, enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { attachedGuest, attachmentsIn } from './attachment/attachment-pod.ts'
import { launchersIn } from './launcher/launcher-cache.ts'
import type { Ports } from './ports.ts'
import { createVirtualMachineInstanceReconciler } from './reconciler.ts'
import { createPodResizer } from './resize/pod-resizer.ts'
import { countSyncs } from './sync-metrics.ts'
import { claimNames } from './storage/volume-status.ts'

/** Dependencies of the controller. */
export interface VirtualMachineInstanceControllerOptions
  extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'launcherImage' | 'inContainer' | 'hasImageVolumes'> {
  readonly live: LiveConfig
  /** Registry for the count of syncs. Default: none. */
  readonly gauges?: Pick<Metrics, 'counterFrom'>
}

/** Index of VMIs by their claims. */
const vmisByClaim = 'claim'

/** Creates the controller of VMIs. */
export function createVirtualMachineInstanceController({
  informers,
  live,
  gauges,
  ...options
}: VirtualMachineInstanceControllerOptions): Runnable {
  const vmis = informers.informer(virtualMachineInstances)
  const launchers = launchersIn(informers)
  const attachments = attachmentsIn(informers)
  const claims = informers.informer(persistentVolumeClaims)
  vmis.addIndex(vmisByClaim, ({ metadata, ...vmi }) => claimNames(vmi).map((name) => `${metadata.namespace ?? ''}/${name}`))
  const ofImport = watchResource(
    informers.informer(dataVolumes),
    ({ metadata }) => vmis.byIndex(vmisByClaim, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).flatMap(enqueueSelf),
    { predicate: (event) => vmis.hasSynced && event.type === 'updated' && event.object.status?.phase !== event.old.status?.phase },
  )
  const ofClaim = watchResource(
    claims,
    ({ metadata }) => vmis.byIndex(vmisByClaim, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).flatMap(enqueueSelf),
    // At the start every VMI is reconciled anyway.
    { predicate: () => vmis.hasSynced },
  )
  return createController({
    ...options,
    name: 'virtualmachineinstance',
    reconciler: countSyncs(
      gauges,
      (namespace, name) => vmis.get(namespace, name) !== undefined,
      createVirtualMachineInstanceReconciler({
        ...options,
        config: live.config,
        vmis,
        pods: launchers,
        attachments,
        claims,
        configs: informers.informer(cdiConfigs),
        nodes: informers.informer(nodes),
        resizer: createPodResizer(options),
      }),
    ),
    sources: [
      watchResource(vmis, enqueueSelf),
      watchResource(launchers, enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachineInstance' })),
      watchResource(attachments, enqueueMapped(attachedGuest)),
      ofClaim,
      ofImport,
      // Only delays reconciles until the configuration is known: existing launchers do not change.
      live.wake(() => []),
    ],
  })
}
