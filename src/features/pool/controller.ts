import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { createExpectations, expectationKey } from '#runtime/controller/expectations.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { ownedInformer } from '#runtime/ownership/owner-index.ts'
import { holdsFinalizer } from './members/finalizer.ts'
import { poolNameOf } from './names.ts'
import { createPoolReconciler, membersByPool, type Ports } from './reconciler.ts'

/** Dependencies of the controller. */
export interface PoolControllerOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder'> {}

/** Creates the controller of VirtualMachinePools. */
export function createPoolController({ informers, ...options }: PoolControllerOptions): Runnable {
  const pools = informers.informer(virtualMachinePools)
  const vms = ownedInformer(informers, virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const revisions = ownedInformer(informers, controllerRevisions)
  const expectations = createExpectations(options)
  vms.onEvent((event) => expectations.observe(event))
  vmis.onEvent((event) => expectations.observe(event))
  vms.addIndex(membersByPool, (vm) => (holdsFinalizer(vm) ? toPool(vm).map(({ namespace, name }) => `${namespace}/${name}`) : []))
  return createController({
    ...options,
    name: 'virtualmachinepool',
    reconciler: createPoolReconciler({ ...options, pools, vms, vmis, revisions, expectations }),
    sources: [
      watchResource(pools, enqueueSelf, {
        predicate: (event) => {
          if (event.type === 'deleted') expectations.forget(expectationKey(event.object))
          return event.type !== 'deleted'
        },
      }),
      watchResource(vms, toPool),
      watchResource(revisions, enqueueOwner(virtualMachinePools)),
      // A VMI has the name of its VM.
      watchResource(vmis, ({ metadata: { namespace = '', name = '' } }) => {
        const vm = vms.get(namespace, name)
        return vm === undefined ? [] : toPool(vm)
      }),
    ],
  })
}

/** The pool of a VM, also of one that has lost its owner reference. */
function toPool(vm: VirtualMachine): readonly Request[] {
  const name = poolNameOf(vm)
  return name === undefined ? [] : [{ namespace: vm.metadata.namespace ?? '', name }]
}
