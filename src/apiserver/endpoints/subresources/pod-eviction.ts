import { setCondition } from '#apimachinery/conditions.ts'
import { badRequest, conflict, isConflict, notFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { runMutating, runValidating } from '#apiserver/admission/run.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { DecodedBody, DeleteQuery, MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { deleteObject } from '../write/delete-object.ts'
import type { Environment } from '../environment.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { success } from './pod-binding.ts'
import { budgetFor, stillProcessed, takeDisruption } from './pod-eviction-budget.ts'

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

/** Parameters of one eviction. */
interface Request {
  readonly environment: Environment
  readonly target: Target
  readonly query: DeleteQuery
  readonly context: RequestContext
}

const tries = 8
const evicting: Condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' }

/**
 * Deletes a pod when its disruption budget allows it. @throws StatusError 429 when the budget does
 * not allow it now
 */
export async function evictPod(
  environment: Environment,
  target: Target,
  body: DecodedBody,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const eviction: Eviction = body.object
  if (eviction.metadata?.name !== undefined && eviction.metadata.name !== target.name) {
    throw badRequest('name in URL does not match name in Eviction object')
  }
  const query = deleteQuery(eviction, options.dryRun)
  podOf(environment, target)
  const admitted = { operation: 'CREATE', target, object: eviction, old: undefined, dryRun: query.dryRun, context } as const
  await runMutating(environment.admission, admitted)
  await runValidating(environment.admission, admitted)
  await evict({ environment, target, query, context })
  return success()
}

function deleteQuery({ deleteOptions = {} }: Eviction, dryRun: boolean): DeleteQuery {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = deleteOptions
  return {
    dryRun: dryRun || (deleteOptions.dryRun?.length ?? 0) > 0,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  }
}

function podOf({ store }: Environment, { definition, namespace = '', name }: Target): Pod {
  const entry = store.getPending(definition.storageKey, namespace, name)
  if (entry === undefined) throw notFound(definition, name)
  return entry.object
}

async function evict(request: Request): Promise<void> {
  if (await evictUnguarded(request)) return
  const { environment, target, query, context } = request
  const pod = podOf(environment, target)
  const budget = budgetFor(environment, pod)
  if (budget === undefined) return remove(request, query)
  if (isReady(pod) || !budget.sparesOnlyReady) {
    await takeDisruption(environment, budget, target.name, query.dryRun, context)
    return remove(request, query)
  }
  try {
    // The precondition makes this fail when the pod becomes ready meanwhile, as the budget would
    // then count it.
    await remove(request, withVersion(query, pod))
  } catch (error) {
    if (isConflict(error) && query.preconditions?.resourceVersion === undefined) throw stillProcessed(budget.name)
    throw error
  }
}

/**
 * Deletes a pod that is not running without asking its budget. Returns false for a pod that may be
 * serving.
 */
async function evictUnguarded(request: Request): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const pod = podOf(request.environment, request.target)
    if (!isNotServing(pod)) return false
    try {
      await remove(request, withVersion(request.query, pod))
      return true
    } catch (error) {
      // The pod may have started meanwhile. A conflict with the client's own precondition repeats
      // every time.
      if (!isConflict(error) || attempt === tries) throw error
    }
  }
}

function isNotServing(pod: Pod): boolean {
  return isBeingDeleted(pod) || ['Succeeded', 'Failed', 'Pending'].includes(pod.status?.phase ?? 'Pending')
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
}

function withVersion(query: DeleteQuery, { metadata }: Pod): DeleteQuery {
  return { ...query, preconditions: { resourceVersion: metadata?.resourceVersion ?? '', ...query.preconditions } }
}

/** Sets the DisruptionTarget condition, then deletes the pod. */
async function remove({ environment, target, context }: Request, query: DeleteQuery): Promise<void> {
  const itself = { ...target, subresource: '' }
  if (query.dryRun) return void (await deleteObject(environment, itself, query, context))
  const { uid, resourceVersion } = query.preconditions ?? {}
  const next = (pod: Pod): KubeObject => {
    const { metadata = {}, status = {} } = pod
    if (uid !== undefined && uid !== metadata.uid) throw mismatch(target, 'UID', uid, metadata.uid)
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      throw mismatch(target, 'ResourceVersion', resourceVersion, metadata.resourceVersion)
    }
    const marked: Pod = { ...pod, status: { ...status, conditions: setCondition(status.conditions, evicting, rfc3339(environment.now())) } }
    return marked
  }
  const options = { dryRun: false, fieldValidation: 'Ignore' } as const
  const marked = await guaranteedUpdate(
    environment,
    { ...target, subresource: 'status' },
    { next, versionRequired: false },
    options,
    context,
  )
  // The pod as it was checked, changed by the condition only.
  const preconditions =
    resourceVersion === undefined ? query.preconditions : { ...query.preconditions, resourceVersion: String(marked.revision) }
  await deleteObject(environment, itself, preconditions === undefined ? query : { ...query, preconditions }, context)
}

function mismatch({ definition, name }: Target, what: string, wanted: string, found: string | undefined): Error {
  return conflict(definition, name, `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found ?? ''}`)
}
