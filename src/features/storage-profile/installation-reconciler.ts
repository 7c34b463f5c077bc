import type { CDI } from '#api/cdi/v1beta1/cdi.ts'
import { cdis } from '#api/cdi/v1beta1/resources.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'

interface Ports {
  readonly client: Client
  readonly clock: Pick<Clock, 'now'>
  readonly installations: Pick<Lister<CDI>, 'get'>
  readonly version: string
}

const conditions = [
  { type: 'Available', status: 'True', reason: 'DeployCompleted', message: 'Deployment Completed' },
  { type: 'Progressing', status: 'False', reason: 'DeployCompleted', message: 'virt-controller imports images itself' },
  { type: 'Degraded', status: 'False', reason: 'DeployCompleted', message: '' },
] as const

/**
 * Reports on a CDI object that imports are served. There is nothing to deploy: virt-controller,
 * which writes this, is what imports. HyperConverged reads the conditions.
 */
export function createInstallationReconciler(ports: Ports): Reconciler {
  return async ({ name }, { signal }) => {
    const cdi = ports.installations.get('', name)
    if (cdi === undefined || isBeingDeleted(cdi)) return done
    const now = timestamp(ports.clock.now())
    const next = conditions.reduce((list, condition) => setCondition(list, { ...condition }, now), cdi.status?.conditions ?? [])
    const { version } = ports
    const status = { phase: 'Deployed', conditions: next, operatorVersion: version, targetVersion: version, observedVersion: version }
    await found(patchStatus(withSignal(ports.client, signal), cdis, cdi, status))
    return done
  }
}
