import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { ComponentWriter, type Outcome } from './act.ts'
import { decide } from './decide.ts'
import { createLatestObjects } from './component/latest-objects.ts'
import { hyperConvergedKey } from './names.ts'
import { observeWith, type Observation } from './observe.ts'
import { nextExpiryMs, reportOverrides } from './overrides/override-status.ts'
import type { Ports } from './ports.ts'
import { ownedConditions, statusOf } from './report.ts'
import { createUninstaller } from './uninstall/uninstaller.ts'

/**
 * Keeps the objects of all components as HyperConverged says. A component that fails is tried again
 * with a back-off of its own, and does not affect the others. When HyperConverged is deleted, it
 * removes them in order.
 */
export function createHyperConvergedReconciler(ports: Ports): Reconciler {
  const writer = new ComponentWriter(ports)
  const latest = createLatestObjects(ports.clock)
  const uninstaller = createUninstaller(ports)
  return async (_request, { signal }) => {
    const found = ports.hyperconvergeds.get(hyperConvergedKey.namespace, hyperConvergedKey.name)
    if (found === undefined) return done
    if (isBeingDeleted(found)) return uninstaller.remove(found, signal)
    const observation = observeWith(ports, await uninstaller.hold(found, signal), { latest })
    const outcomes = await writer.act(decide(observation), signal)
    for (const { decision, written } of outcomes) if (written !== undefined) latest.note(decision.observed.component.name, written)
    recordChanges(ports, observation, outcomes)
    const status = statusOf(observation, outcomes, timestamp(ports.clock.now()))
    await patchStatus(ports.client, hyperConvergeds, observation.hyperconverged, status, { ownedConditions, signal })
    await reportOverrides(ports, outcomes, signal)
    const expiry = nextExpiryMs(ports.overrides.list(), ports.clock.now())
    const waits = [writer.retryAfterMs(), latest.waitMs, expiry].filter((ms) => ms !== undefined)
    return waits.length === 0 ? done : recheckIn(Math.min(...waits))
  }
}

/** Records what was written, and what others had changed. */
function recordChanges({ recorder, log }: Ports, { hyperconverged }: Observation, outcomes: readonly Outcome[]): void {
  for (const { decision, written } of outcomes) {
    const { step, observed } = decision
    if (step.kind !== 'apply' || written === undefined) continue
    const object = `${observed.component.kind} ${written.metadata?.name ?? ''}`
    log.info({ component: observed.component.name, cause: step.cause, drift: step.drift }, 'A component was configured')
    switch (step.cause) {
      case 'create':
        recorder.event(hyperconverged, 'Normal', 'Created', `${object} is configured by this object`)
        break
      case 'change':
        recorder.event(hyperconverged, 'Normal', 'Updated', `${object} was updated`)
        break
      case 'drift': {
        const by = step.rivals.length === 0 ? 'others' : step.rivals.join(', ')
        recorder.event(
          hyperconverged,
          'Warning',
          'Overwritten',
          `${object} was changed by ${by}, and is as before: ${step.drift.join(', ')}`,
        )
      }
    }
  }
}
