import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { createClaim } from '../claim/create-claim.ts'
import { asClone } from '../claim/cloned-claim.ts'
import { actFill, annotate } from '../fill/act-fill.ts'
import type { FillStep, FillWait } from '../fill/decide-fill.ts'
import { cloneRecord, mirrorOf } from '../fill/mirror.ts'
import { names } from '../names.ts'
import { decidePopulation, type PopulationStep } from './decide-population.ts'
import { observePopulation, type ObservedPopulation } from './observe-population.ts'
import type { PopulationPorts } from './ports.ts'
import { primeName, primeOf } from './prime.ts'
import { rebind } from './rebind.ts'

/** Milliseconds between looks at what is not watched: sources, quotas, volumes. */
const waitMs = 15_000

/**
 * Fills claims that name their content. Provisioners leave such a claim alone: another claim is
 * filled, whose volume the first one gets then. A pass observes, decides by `decidePopulation`,
 * takes one step, and tells what it waits for.
 */
export function createPopulationReconciler(shared: PopulationPorts): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const observed = await observePopulation(ports, namespace, name, signal)
    if (observed === undefined) return done
    const step = decidePopulation(observed)
    const refused = await act(ports, observed, step)
    const wait = refused ?? waitOf(step)
    if (wait !== undefined) tell(ports, observed, 'Warning', wait)
    return resultOf(ports, step, wait)
  }
}

async function act(ports: PopulationPorts, observed: ObservedPopulation, step: PopulationStep): Promise<FillWait | undefined> {
  switch (step.kind) {
    case 'none':
    case 'await':
    case 'awaitConsumer':
      return undefined
    case 'leave':
      tell(ports, observed, 'Warning', step.wait)
      return undefined
    case 'createPrime':
      return createPrime(ports, observed)
    case 'fill':
      return fill(ports, observed, step)
    case 'rebind': {
      const { labels = {} } = step.prime.metadata
      const inherited = Object.entries({ ...observed.labels, ...labels }).filter(([key]) => key.startsWith('instancetype.kubevirt.io/'))
      const target = await annotate(ports, observed.target, recordOf(step.prime), Object.fromEntries(inherited))
      return target === undefined ? undefined : rebind(ports.client, step.prime, target)
    }
    case 'removePrime': {
      await removeClaim(ports, step.prime)
      tell(ports, observed, 'Normal', {
        reason: ends[observed.purpose],
        message: `Successfully filled PVC ${observed.target.metadata.name ?? ''}`,
      })
      return undefined
    }
  }
}

/** CDI's reasons of events. */
const ends = { import: 'ImportSucceeded', upload: 'UploadSucceeded', clone: 'CloneSucceeded' } as const
const failures = { import: 'ImportFailed', upload: 'UploadFailed', clone: 'CloneFailed' } as const

/**
 * Marks the target first: clients of uploads look at it. A target that is marked, and has no such
 * claim, gets one in the next pass.
 */
async function createPrime(ports: PopulationPorts, observed: ObservedPopulation): Promise<FillWait | undefined> {
  const { target, purpose, contentType, clone, source } = observed
  const marks = {
    [names.primeClaim]: primeName(target),
    [names.contentType]: contentType,
    ...(purpose === 'upload' ? { [names.uploadTarget]: '' } : {}),
  }
  const marked = await annotate(ports, target, marks, {})
  if (marked === undefined) return undefined
  const prime = primeOf(marked)
  const refused = await createClaim(ports.client, clone === undefined ? prime : asClone(prime, source, clone))
  if (refused !== undefined) return refused
  tell(ports, observed, 'Normal', { reason: 'CreatedPVCPrimeSuccessfully', message: 'PVC Prime created successfully' })
  if (clone?.by === 'worker' && clone.reason !== undefined) tell(ports, observed, 'Warning', clone.reason)
  return undefined
}

/** Takes a step for the claim that is filled, and shows on the target what becomes of it. */
async function fill(
  ports: PopulationPorts,
  observed: ObservedPopulation,
  { claim, step }: Extract<PopulationStep, { kind: 'fill' }>,
): Promise<FillWait | undefined> {
  if (step.kind === 'awaitSource' && observed.restore !== undefined) return createClaim(ports.client, observed.restore)
  const refused = await actFill(ports, observed.order(claim), step)
  if (claim !== observed.target) await annotate(ports, observed.target, shownOf(step), {})
  if (step.kind === 'recordFailure') {
    const message = `Failed to fill PVC ${observed.target.metadata.name ?? ''}: ${step.wait.message}`
    tell(ports, observed, 'Warning', { reason: failures[observed.purpose], message })
  }
  return refused
}

/**
 * What the target shows of a step. That it is full is only shown when the record is on the other
 * claim.
 */
function shownOf(step: FillStep): Record<string, string> {
  if (step.kind === 'recordFailure') return mirrorOf(step)
  if (step.kind !== 'follow') return {}
  const percent = step.progress?.percent
  return { ...mirrorOf(step), ...(percent === undefined ? {} : { [names.populatorProgress]: `${percent.toFixed(2)}%` }) }
}

const recorded: readonly string[] = [...Object.keys(cloneRecord), names.importPod, names.podRestarts]

function recordOf({ metadata: { annotations = {} } }: PersistentVolumeClaim): Record<string, string> {
  const known = Object.entries(annotations).filter(([key]) => recorded.includes(key))
  return { ...Object.fromEntries(known), [names.populatorProgress]: '100.0%' }
}

async function removeClaim({ client }: PopulationPorts, { metadata }: PersistentVolumeClaim): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata
  await client.delete(persistentVolumeClaims, { namespace, name }, { preconditions: { uid } }).catch((error: unknown) => {
    if (!isNotFound(error) && !isConflict(error)) throw error
  })
}

function waitOf(step: PopulationStep): FillWait | undefined {
  if (step.kind === 'await') return step.wait
  if (step.kind !== 'fill') return undefined
  return step.step.kind === 'awaitSource' ? step.step.wait : undefined
}

function tell(
  { recorder }: PopulationPorts,
  { target }: ObservedPopulation,
  type: 'Normal' | 'Warning',
  { reason, message }: FillWait,
): void {
  recorder.event({ ...target, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, type, reason, message)
}

function resultOf({ progressMs }: PopulationPorts, step: PopulationStep, wait: FillWait | undefined): Result {
  if (step.kind === 'fill' && step.step.kind === 'follow') return recheckIn(progressMs)
  return wait === undefined ? done : recheckIn(waitMs)
}
