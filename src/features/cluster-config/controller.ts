import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { kubeVirtsIn } from './live-config.ts'
import { createConfigurationReconciler, type Ports } from './reconciler.ts'

/** Dependencies of the controller. */
export interface ConfigurationControllerOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder'> {}

/** Creates the controller that reports invalid settings on the KubeVirt object. */
export function createConfigurationController({ informers, ...options }: ConfigurationControllerOptions): Runnable {
  const kubevirts = kubeVirtsIn(informers)
  return createController({
    ...options,
    name: 'kubevirt-configuration',
    reconciler: createConfigurationReconciler({ ...options, kubevirts }),
    sources: [watchResource(kubevirts, enqueueSelf)],
  })
}
