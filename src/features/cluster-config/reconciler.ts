import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { chooseKubeVirt } from './choose-kubevirt.ts'
import { decide } from './decide.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Pick<Client, 'patch'>
  readonly kubevirts: Lister<KubeVirt>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
}

/** Creates the reconciler that reports invalid settings on the KubeVirt object. */
export function createConfigurationReconciler({ client, kubevirts, recorder, clock }: Ports): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const kubevirt = kubevirts.get(namespace, name)
    if (kubevirt === undefined || chooseKubeVirt(kubevirts.list()) !== kubevirt) return done
    const { conditions, warning } = decide(kubevirt, timestamp(clock.now()))
    if (conditions === undefined) return done
    // The resourceVersion protects foreign conditions: a concurrent write is a conflict, which is
    // retried.
    const body = { metadata: { resourceVersion: kubevirt.metadata?.resourceVersion }, status: { conditions } }
    try {
      await client.patch(kubeVirts, { namespace, name }, { type: 'merge', body }, { subresource: 'status', signal })
    } catch (error) {
      if (isNotFound(error)) return done
      throw error
    }
    if (warning !== undefined) recorder.event(kubevirt, 'Warning', 'InvalidConfiguration', warning)
    return done
  }
}
