import { setCondition } from '#apimachinery/conditions.ts'
import { forbidden, StatusError, tooManyRequests } from '#apimachinery/errors.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type LabelSelectorObject, labelSelectorFromObject, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { RequestContext, Target } from '#apiserver/request/api-request.ts'
import type { Environment } from '../environment.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'

interface PodDisruptionBudget extends KubeObject {
  spec?: { selector?: LabelSelectorObject; unhealthyPodEvictionPolicy?: string }
  status?: {
    observedGeneration?: number
    disruptionsAllowed?: number
    currentHealthy?: number
    desiredHealthy?: number
    disruptedPods?: Record<string, string>
    conditions?: Condition[]
  }
}

/** The PodDisruptionBudget that selects a pod. */
export interface Budget {
  readonly definition: ResourceDefinition
  readonly namespace: string
  readonly name: string
  /** True if unready pods may be evicted without being counted (`unhealthyPodEvictionPolicy`). */
  readonly sparesOnlyReady: boolean
}

/**
 * Largest size of `status.disruptedPods`, as in Kubernetes: more evictions wait for the disruption
 * controller.
 */
const mostDisrupted = 2000
const processingSeconds = 10

/** Finds the budget of a pod, if any. @throws StatusError 500 when several select it */
export function budgetFor({ registry, store }: Environment, { metadata }: KubeObject): Budget | undefined {
  const definition = registry.find('policy', 'v1', 'poddisruptionbudgets')
  if (definition === undefined) return undefined
  const namespace = metadata?.namespace ?? ''
  const found = store
    .list(definition.storageKey, namespace)
    .map(({ object }) => object as PodDisruptionBudget)
    .filter(({ spec }) => selects(spec?.selector, metadata?.labels ?? {}))
  const [budget] = found
  if (found.length > 1) throw severalBudgets()
  if (budget === undefined) return undefined
  return { definition, namespace, name: budget.metadata?.name ?? '', sparesOnlyReady: sparesOnlyReady(budget) }
}

// An invalid selector selects nothing.
function selects(selector: LabelSelectorObject | undefined, labels: Readonly<Record<string, string>>): boolean {
  try {
    return labelSelectorFromObject(selector).matches(labels)
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}

function severalBudgets(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 })
}

function sparesOnlyReady({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy
}

/**
 * Takes one disruption from the budget and records the pod in `disruptedPods`. @throws StatusError
 * 429 when none is left
 */
export async function takeDisruption(
  environment: Environment,
  { definition, namespace, name }: Budget,
  podName: string,
  dryRun: boolean,
  context: RequestContext,
): Promise<void> {
  const target: Target = { definition, namespace, name, subresource: 'status' }
  const next = (old: KubeObject): KubeObject => disrupted(old, definition, podName, rfc3339(environment.now()))
  await guaranteedUpdate(environment, target, { next, versionRequired: false }, { dryRun, fieldValidation: 'Ignore' }, context)
}

function disrupted(budget: PodDisruptionBudget, definition: ResourceDefinition, podName: string, now: string): KubeObject {
  const { metadata = {}, status = {} } = budget
  const { disruptionsAllowed = 0, observedGeneration = 0, desiredHealthy = 0, currentHealthy = 0, disruptedPods = {} } = status
  const name = metadata.name ?? ''
  if (observedGeneration < (metadata.generation ?? 0)) throw stillProcessed(name)
  if (disruptionsAllowed < 0) throw forbidden(definition, name, 'pdb disruptions allowed is negative')
  if (Object.keys(disruptedPods).length > mostDisrupted) {
    throw forbidden(definition, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (disruptionsAllowed === 0) {
    throw refusal(`The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`, 0)
  }
  const used: Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    observedGeneration,
  }
  const next: PodDisruptionBudget = {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: disruptionsAllowed - 1,
      disruptedPods: { ...disruptedPods, [podName]: now },
      ...(disruptionsAllowed === 1 ? { conditions: setCondition(status.conditions, used, now) } : {}),
    },
  }
  return next
}

/** 429: the disruption controller has not observed the budget's latest generation. */
export function stillProcessed(name: string): StatusError {
  return refusal(`The disruption budget ${name} is still being processed by the server.`, processingSeconds)
}

function refusal(why: string, retryAfterSeconds: number): StatusError {
  const { status } = tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds)
  const causes = [{ reason: 'DisruptionBudget', message: why }]
  return new StatusError({ ...status, details: { ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }), causes } })
}
