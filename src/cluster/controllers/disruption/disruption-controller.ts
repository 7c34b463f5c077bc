import { deepEqual } from '#apimachinery/equality.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { type LabelSelector, labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { ControllerOptions } from '../controller-options.ts'
import type { ResourceCatalog } from '../resource-catalog.ts'
import { type BudgetDecision, decideBudget, needsScale } from './budget-status.ts'
import { expectedScale, ScaleUnknown } from './expected-scale.ts'

/** Dependencies of the disruption controller. */
export interface DisruptionControllerOptions extends ControllerOptions {
  readonly catalog: ResourceCatalog
  readonly recorder: Recorder
}

const namespaceIndex = 'disruption.namespace'

/** Keeps in the status of every PodDisruptionBudget how many of its pods may be evicted now. */
export function createDisruptionController(options: DisruptionControllerOptions): Runnable {
  const { informers, clock, log } = options
  const budgetCache = informers.informer(podDisruptionBudgets)
  const podCache = informers.informer(pods)
  podCache.addIndex(namespaceIndex, ({ metadata }) => [metadata.namespace ?? ''])

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const budget = budgetCache.get(namespace, name)
    if (budget === undefined) return done
    const selector = selectorOf(budget)
    const chosen = podCache.byIndex(namespaceIndex, namespace).filter(({ metadata }) => selector.matches(metadata.labels ?? {}))
    const expected = needsScale(budget) ? await expectedOf(options, budget, chosen, signal) : undefined
    if (chosen.length === 0) event(options, budget, 'Normal', 'NoPods', 'No matching pods found')
    const verdict = decideBudget(budget, { pods: chosen, expected, now: clock.now() })
    await report(options, budget, verdict, signal)
    return verdict.recheckAt === undefined ? done : recheckIn(verdict.recheckAt - clock.now())
  }
  const budgetsOf = (pod: Pod): readonly Request[] =>
    budgetCache
      .list(pod.metadata.namespace ?? '')
      .filter((budget) => selectorOf(budget).matches(pod.metadata.labels ?? {}))
      .flatMap(enqueueSelf)
  const sources = [watchResource(budgetCache, enqueueSelf), watchResource(podCache, budgetsOf, { predicate: changesHealth })]
  return createController({ name: 'disruption', reconciler, sources, concurrency: 2, clock, log })
}

function selectorOf({ spec }: PodDisruptionBudget): Pick<LabelSelector, 'matches'> {
  try {
    return labelSelectorFromObject(spec?.selector)
  } catch {
    return { matches: () => false }
  }
}

function changesHealth(event: CacheEvent<Pod>): boolean {
  if (event.type !== 'updated') return true
  const part = ({ metadata, status }: Pod): unknown => [
    metadata.labels,
    metadata.deletionTimestamp,
    metadata.ownerReferences,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ]
  return !deepEqual(part(event.object), part(event.old))
}

async function expectedOf(
  options: DisruptionControllerOptions,
  budget: PodDisruptionBudget,
  chosen: readonly Pod[],
  signal: AbortSignal,
): Promise<number | Error> {
  try {
    const { count, unmanaged } = await expectedScale(options, chosen, signal)
    if (unmanaged.length > 0) {
      const names = unmanaged.map(({ metadata }) => metadata.name ?? '').join(', ')
      const why = `Pods selected by this PodDisruptionBudget (selector: ${JSON.stringify(budget.spec?.selector ?? {})}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value. Pods: ${names}`
      event(options, budget, 'Warning', 'UnmanagedPods', why)
    }
    return count
  } catch (error) {
    if (!(error instanceof ScaleUnknown)) throw error
    event(
      options,
      budget,
      'Warning',
      'CalculateExpectedPodCountFailed',
      `Failed to calculate the number of expected pods: ${error.message}`,
    )
    return error
  }
}

/**
 * Writes the status with the resourceVersion that was read: an eviction may take from the budget at
 * the same time.
 */
async function report(
  options: DisruptionControllerOptions,
  budget: PodDisruptionBudget,
  { status, undead }: BudgetDecision,
  signal: AbortSignal,
): Promise<void> {
  const { recorder, client } = options
  for (const pod of undead) {
    const { namespace, name } = budget.metadata
    const why = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`
    recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Warning', 'NotDeleted', why)
  }
  if (deepEqual(status, budget.status)) return
  try {
    await client.update(podDisruptionBudgets, { ...budget, status }, { subresource: 'status', signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function event(
  { recorder }: DisruptionControllerOptions,
  budget: PodDisruptionBudget,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  recorder.event({ ...budget, apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }, type, reason, message)
}
