import { badRequest, internalError, isConflict, notFound, StatusError, tooManyRequests } from '#apimachinery/errors.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type LabelSelectorObject, labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { runMutating, runValidating } from '#apiserver/admission/run.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { DecodedBody, DeleteQuery, MutationOptions, RequestContext, Target } from './api-request.ts'
import { deleteObject } from './delete.ts'
import type { Environment } from './environment.ts'
import { guaranteedUpdate } from './guaranteed-update.ts'
import { rfc3339 } from './identity.ts'
import { success } from './pod-binding.ts'

interface Eviction extends KubeObject {
  deleteOptions?: {
    gracePeriodSeconds?: number
    propagationPolicy?: NonNullable<DeleteQuery['propagationPolicy']>
    preconditions?: { uid?: string; resourceVersion?: string }
    dryRun?: readonly string[]
  }
}

interface Pod extends KubeObject {
  status?: { phase?: string; conditions?: readonly Condition[] }
}

interface PodDisruptionBudget extends KubeObject {
  spec?: { selector?: LabelSelectorObject; unhealthyPodEvictionPolicy?: string }
  status?: {
    observedGeneration?: number
    disruptionsAllowed?: number
    currentHealthy?: number
    desiredHealthy?: number
    disruptedPods?: Record<string, string>
  }
}

const tries = 8

/** Deletes a pod when its disruption budget allows it. @throws StatusError 429 when the budget does not, now */
export async function evictPod(
  environment: Environment,
  target: Target,
  body: DecodedBody,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const eviction: Eviction = body.object
  if (eviction.metadata?.name !== undefined && eviction.metadata.name !== target.name) {
    throw badRequest(`name in URL does not match name in Eviction object: ${target.name} ${eviction.metadata.name}`)
  }
  const dryRun = options.dryRun || (eviction.deleteOptions?.dryRun?.length ?? 0) > 0
  const request = { operation: 'CREATE', target, object: eviction, old: undefined, dryRun, context } as const
  await runMutating(environment.admission, request)
  await runValidating(environment.admission, request)
  for (let attempt = 1; ; attempt++) {
    try {
      await evictOnce(environment, target, eviction, dryRun, context)
      return success()
    } catch (error) {
      // The pod or its budget changed between look and act. A client's own precondition conflicts every time.
      if (!isConflict(error) || attempt === tries) throw error
    }
  }
}

async function evictOnce(
  environment: Environment,
  target: Target,
  eviction: Eviction,
  dryRun: boolean,
  context: RequestContext,
): Promise<void> {
  const { definition, namespace = '', name } = target
  const entry = environment.store.getPending(definition.storageKey, namespace, name)
  if (entry === undefined) throw notFound(definition, name)
  const pod: Pod = entry.object
  const precondition = await permission(environment, target, pod, dryRun, context)
  const { gracePeriodSeconds, propagationPolicy, preconditions } = eviction.deleteOptions ?? {}
  const query: DeleteQuery = {
    dryRun,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined && precondition === undefined ? {} : { preconditions: { ...precondition, ...preconditions } }),
  }
  await deleteObject(environment, { ...target, subresource: '' }, query, context)
}

/** Resolves when the pod may go; with what must still be true of the pod when it goes. */
async function permission(
  environment: Environment,
  target: Target,
  pod: Pod,
  dryRun: boolean,
  context: RequestContext,
): Promise<{ resourceVersion: string } | undefined> {
  if (needsNoBudget(pod)) return undefined
  const budgets = budgetsOf(environment, pod)
  const [budget] = budgets
  if (budget === undefined) return undefined
  if (budgets.length > 1)
    throw internalError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.')
  if (!isReady(pod) && mayEvictUnready(budget.object)) return { resourceVersion: pod.metadata?.resourceVersion ?? '' }
  await takeDisruption(environment, budget, target.name, dryRun, context)
  return undefined
}

function needsNoBudget({ metadata, status }: Pod): boolean {
  return metadata?.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? 'Pending')
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
}

interface Budget {
  readonly definition: ResourceDefinition
  readonly object: PodDisruptionBudget
}

function budgetsOf({ registry, store }: Environment, { metadata }: Pod): Budget[] {
  const definition = registry.find('policy', 'v1', 'poddisruptionbudgets')
  if (definition === undefined) return []
  return store
    .list(definition.storageKey, metadata?.namespace)
    .map(({ object }) => ({ definition, object: object as PodDisruptionBudget }))
    .filter(({ object }) => labelSelectorFromObject(object.spec?.selector).matches(metadata?.labels ?? {}))
}

function mayEvictUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy
}

async function takeDisruption(
  environment: Environment,
  budget: Budget,
  podName: string,
  dryRun: boolean,
  context: RequestContext,
): Promise<void> {
  const { metadata = {} } = budget.object
  const target: Target = { definition: budget.definition, namespace: metadata.namespace, name: metadata.name ?? '', subresource: 'status' }
  const next = (old: KubeObject): KubeObject => disrupted(old, podName, environment.now())
  await guaranteedUpdate(environment, target, { next, versionRequired: false }, { dryRun, fieldValidation: 'Ignore' }, context)
}

function disrupted(budget: PodDisruptionBudget, podName: string, nowMs: number): KubeObject {
  const { metadata = {}, status = {} } = budget
  const { disruptionsAllowed = 0, observedGeneration = 0, desiredHealthy = 0, currentHealthy = 0, disruptedPods = {} } = status
  if (observedGeneration < (metadata.generation ?? 0)) {
    throw refusal(`The disruption budget ${metadata.name} is still being processed by the server.`, 10)
  }
  if (disruptionsAllowed <= 0) {
    throw refusal(
      `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      undefined,
    )
  }
  const next: PodDisruptionBudget = {
    ...budget,
    status: { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods: { ...disruptedPods, [podName]: rfc3339(nowMs) } },
  }
  return next
}

function refusal(why: string, retryAfterSeconds: number | undefined): StatusError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget."
  const { status } = tooManyRequests(message, retryAfterSeconds ?? 0)
  const causes = [{ reason: 'DisruptionBudget', message: why }]
  return new StatusError({ ...status, details: { ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }), causes } })
}
