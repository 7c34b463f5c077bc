import { nodes } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { vmisByNode } from '#features/evacuation/index.ts'
import { launchersIn } from '#features/vmi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createNodeHealthReconciler, type Ports } from './reconciler.ts'

/** Dependencies of the controller. The evacuation controller adds the index of VMIs. */
export interface NodeHealthOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder'> {}

/** Creates the node health controller, which reconciles nodes. */
export function createNodeHealthController({ informers, ...options }: NodeHealthOptions): Runnable {
  const nodeCache = informers.informer(nodes)
  const vmis = informers.informer(virtualMachineInstances)
  const launchers = launchersIn(informers)
  const vmisOf = (name: string): readonly VirtualMachineInstance[] =>
    vmis.byIndex(vmisByNode, name).filter(({ status }) => status?.nodeName === name)
  // VMIs are handled with their node. A deleted node raises no further events, so its VMIs do.
  const orphaned = ({ status }: VirtualMachineInstance): readonly Request[] => {
    const name = status?.nodeName ?? ''
    return name === '' || nodeCache.get('', name) !== undefined ? [] : [{ namespace: '', name }]
  }
  return createController({
    ...options,
    name: 'node-health',
    reconciler: createNodeHealthReconciler({ ...options, nodes: nodeCache, vmisOf, pods: launchers }),
    sources: [watchResource(nodeCache, enqueueSelf), watchResource(vmis, orphaned), watchResource(launchers, () => [])],
  })
}
