import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { ownerReferenceTo } from './claim/claim-of.ts'
import { createClaim } from './claim/create-claim.ts'
import { decide, type Step } from './decide.ts'
import { actFill } from './fill/act-fill.ts'
import type { FillWait } from './fill/decide-fill.ts'
import { names } from './names.ts'
import { observe, type Observation } from './observe.ts'
import type { Ports } from './ports.ts'
import { report } from './status/report.ts'

/** Milliseconds between looks at what is not watched: sources, quotas, storage classes. */
const waitMs = 15_000

/** The same in milliseconds for the pods of a source that is in use: they may be about to end. */
const inUseMs = 2_000

/**
 * Creates the claim of each DataVolume and fills it by a worker. A pass observes, decides by
 * `decide` and `decideFill`, takes one step, and reports. The record that a volume is full is on
 * its claim, from before the DataVolume succeeds.
 */
export function createDataVolumeReconciler(shared: Ports): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const observed = await observe(ports, namespace, name, signal)
    if (observed === undefined) return done
    const step = decide(observed)
    const refused = await act(ports, observed, step)
    const { dataVolume, claim, purpose, bindsLate } = observed
    await report(ports, { dataVolume, claim, purpose, step, refused, bindsLate, now: timestamp(ports.clock.now()) })
    return resultOf(ports, step, refused)
  }
}

async function act(ports: Ports, observed: Observation, step: Step): Promise<FillWait | undefined> {
  switch (step.kind) {
    case 'createClaim':
      return createNewClaim(ports, observed)
    case 'adopt': {
      const { metadata } = step.claim
      const { dataVolume } = observed
      const ownerReferences = [...(metadata.ownerReferences ?? []), ownerReferenceTo(dataVolume)]
      const annotations = { [names.populatedFor]: dataVolume.metadata.name ?? '' }
      await found(patchIfUnchanged(ports.client, persistentVolumeClaims, step.claim, { metadata: { ownerReferences, annotations } }))
      return undefined
    }
    case 'fill':
      if (step.step.kind === 'awaitSource' && observed.restore !== undefined) return createClaim(ports.client, observed.restore)
      return actFill(ports, observed.order(step.claim), step.step)
    case 'none':
    case 'await':
    case 'watchClaim':
    case 'lost':
      return undefined
  }
}

async function createNewClaim({ client, recorder }: Ports, { dataVolume, newClaim, clone }: Observation): Promise<FillWait | undefined> {
  if (newClaim === undefined) return undefined
  const refused = await createClaim(client, newClaim)
  const reason = clone?.by === 'worker' ? clone.reason : undefined
  if (refused === undefined && reason !== undefined) recorder.event(dataVolume, 'Warning', reason.reason, reason.message)
  return refused
}

function resultOf({ progressMs }: Ports, step: Step, refused: FillWait | undefined): Result {
  if (step.kind === 'fill' && step.step.kind === 'follow') return recheckIn(progressMs)
  if (refused?.reason === 'CloneSourceInUse') return recheckIn(inUseMs)
  if (refused !== undefined || step.kind === 'await') return recheckIn(waitMs)
  if (step.kind !== 'fill') return done
  return step.step.kind === 'awaitSource' ? recheckIn(waitMs) : done
}
