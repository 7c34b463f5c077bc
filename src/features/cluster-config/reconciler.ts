import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { chooseKubeVirt } from './choose-kubevirt.ts'
import { configurationValid, decide } from './decide.ts'

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
    const ownedConditions = [configurationValid]
    if ((await found(patchStatus(client, kubeVirts, kubevirt, { conditions }, { ownedConditions, signal }))) === undefined) return done
    if (warning !== undefined) recorder.event(kubevirt, 'Warning', 'InvalidConfiguration', warning)
    return done
  }
}
