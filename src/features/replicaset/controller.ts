import { virtualMachineInstanceReplicaSets, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { createExpectations, expectationKey } from '#runtime/controller/expectations.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { enqueueController } from '#runtime/ownership/enqueue-controller.ts'
import { ownedInformer } from '#runtime/ownership/owner-index.ts'
import { createReplicaSetReconciler, type Ports } from './reconciler.ts'

/** Dependencies of the controller. */
export interface ReplicaSetControllerOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder'> {}

/** Creates the controller of VirtualMachineInstanceReplicaSets. */
export function createReplicaSetController({ informers, ...options }: ReplicaSetControllerOptions): Runnable {
  const replicaSets = informers.informer(virtualMachineInstanceReplicaSets)
  const vmis = ownedInformer(informers, virtualMachineInstances)
  const expectations = createExpectations(options)
  vmis.onEvent((event) => expectations.observe(event))
  return createController({
    ...options,
    name: 'virtualmachineinstancereplicaset',
    reconciler: createReplicaSetReconciler({ ...options, replicaSets, vmis, expectations }),
    sources: [
      watchResource(replicaSets, enqueueSelf, {
        predicate: (event) => {
          if (event.type === 'deleted') expectations.forget(expectationKey(event.object))
          return event.type !== 'deleted'
        },
      }),
      watchResource(vmis, enqueueController(virtualMachineInstanceReplicaSets, replicaSets)),
    ],
  })
}
