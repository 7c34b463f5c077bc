import { conflict, invalid, notFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import { runMutating, runValidating } from '#apiserver/admission/run.ts'
import { admittedManagedFields } from '#apiserver/managed-fields/admitted-managed-fields.ts'
import { withConversions } from '#apiserver/managed-fields/conversions.ts'
import { isUnchanged } from '#apiserver/managed-fields/is-unchanged.ts'
import { trackUpdate, withManagedFields } from '#apiserver/managed-fields/track-update.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { type Entry, RevisionMismatch } from '#apiserver/storage/object-store.ts'
import type { MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { isApproval, withApproval } from './approval.ts'
import { commit, dryRunCommit } from './commit.ts'
import { redecode } from '#apiserver/codec/decode.ts'
import { isHeld } from './deletion-step.ts'
import { DerivedEntry } from '../derived-entry.ts'
import type { Environment } from '../environment.ts'
import { withGeneration } from './generation.ts'
import { keepIdentity } from './system-fields.ts'
import { awaitDurable } from './await-durable.ts'
import { updateMain, updateStatus } from './status.ts'
import { isResize, validateResize, withResizedContainers } from '../subresources/pod-resize.ts'
import { validate } from './validate.ts'

/** Computes the next state of an update. */
export interface Change {
  /** Returns the next state for the present one, decoded. Called again after a conflict. */
  next(old: KubeObject): KubeObject | Promise<KubeObject>
  /** True if the next state must contain a resourceVersion. */
  readonly versionRequired: boolean
  /**
   * True if the next state contains managedFields, as after an apply. Default: the writer owns what
   * it changes.
   */
  readonly saysOwners?: boolean
}

const tries = 8

/**
 * Reads, computes, admits, validates and stores, and starts over when the object has changed
 * meanwhile; a client that sent a resourceVersion gets a conflict instead. An update without a
 * change stores nothing. Removing the last finalizer of a deleting object deletes it.
 */
export async function guaranteedUpdate(
  environment: Environment,
  target: Target,
  change: Change,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const { definition, namespace = '', name } = target
  for (let attempt = 1; ; attempt++) {
    const stored = environment.store.getPending(definition.storageKey, namespace, name)
    if (stored === undefined) throw notFound(definition, name)
    const converting = environment.views.prepare(definition, [stored])
    if (converting !== undefined) await converting
    const old = environment.views.of(definition, stored)
    const object = await propose(environment, target, old.object, change, options, context)
    // An object in an old storage version is stored again even without a change: this is how users
    // migrate storage versions.
    if (isUnchanged(object, old.object) && environment.views.isCurrent(definition, stored)) return awaitDurable(environment, target, old)
    if (options.dryRun) return dryRunCommit(target, object, old.revision)
    try {
      return await store(environment, target, stored.revision, object)
    } catch (error) {
      if (!(error instanceof RevisionMismatch)) throw error
      if (attempt === tries) throw conflict(definition, name)
    }
  }
}

async function propose(
  environment: Environment,
  target: Target,
  old: KubeObject,
  change: Change,
  options: MutationOptions,
  context: RequestContext,
): Promise<KubeObject> {
  const { admission, now } = environment
  const { definition } = target
  const computed = change.next(old)
  const next = computed instanceof Promise ? await computed : computed
  checkVersion(target, next, old, change.versionRequired)
  // Defaults of the kind belong to the manager that left them out. Without an owner, the next
  // writer would get them.
  const completed = complete(target, narrow(target, next, old, now()), old, now())
  const written = { old, next: completed, sent: next.metadata?.managedFields }
  const tracked =
    change.saysOwners === true
      ? withManagedFields(completed, written.sent)
      : withConversions(environment, definition, (tracking) => trackUpdate(tracking, target, written, context.fieldManager))
  const proposed = tracked instanceof Promise ? await tracked : tracked
  const request: AdmissionRequest = { operation: 'UPDATE', target, object: proposed, old, dryRun: options.dryRun, context }
  const admitted = (await runMutating(admission, request)) ?? proposed
  const object = withGeneration(target, admitted === proposed ? proposed : readmit(target, admitted, proposed, old, now(), context), old)
  const validating = validate(rulesFor(target), object, old, context)
  if (validating !== undefined) await validating
  await runValidating(admission, { ...request, object })
  for (const warning of definition.strategy.warnings?.(object, old) ?? []) context.warn(warning)
  return object
}

/** Limits an update to the fields that its path may change. */
function narrow(target: Target, next: KubeObject, old: KubeObject, nowMs: number): KubeObject {
  const { definition, subresource } = target
  const kept = keepIdentity(next, old)
  if (subresource === 'status') return updateStatus(definition, kept, old)
  if (subresource === 'finalize') return withSpecFinalizers(old, kept)
  if (isApproval(target)) return withApproval(old, kept, nowMs)
  if (isResize(target)) return withResizedContainers(old, kept)
  return updateMain(definition, kept, old)
}

/** The spec of a pod is immutable but for its resize. */
function rulesFor(target: Target): ResourceDefinition {
  const { definition } = target
  return isResize(target) ? { ...definition, strategy: { ...definition.strategy, validate: validateResize } } : definition
}

function complete(target: Target, object: KubeObject, old: KubeObject, nowMs: number): KubeObject {
  const { definition, subresource } = target
  if (subresource === 'status' || subresource === 'finalize' || isApproval(target)) return object
  return definition.strategy.prepareForUpdate?.(object, old, nowMs) ?? object
}

/** Decodes and stamps the object again after admission has changed it. */
function readmit(
  target: Target,
  admitted: KubeObject,
  before: KubeObject,
  old: KubeObject,
  nowMs: number,
  context: RequestContext,
): KubeObject {
  const decoded = redecode(target.definition, admitted)
  const managedFields = admittedManagedFields(before, decoded, context)
  return complete(target, withManagedFields(narrow(target, decoded, old, nowMs), managedFields), old, nowMs)
}

function withSpecFinalizers(old: KubeObject, next: KubeObject): KubeObject {
  const { spec: before } = old as { spec?: object }
  const { spec: after } = next as { spec?: { finalizers?: unknown } }
  const finalized: KubeObject & { spec: object } = { ...old, spec: { ...before, finalizers: after?.finalizers ?? [] } }
  return finalized
}

function checkVersion({ definition, name }: Target, next: KubeObject, old: KubeObject, required: boolean): void {
  const { resourceVersion = '', uid } = next.metadata ?? {}
  const present = old.metadata ?? {}
  if (uid !== undefined && uid !== present.uid) {
    throw conflict(definition, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${present.uid ?? ''}`)
  }
  if (resourceVersion === '' || resourceVersion === '0') {
    if (required) throw versionMissing(definition, name)
  } else if (resourceVersion !== present.resourceVersion) throw conflict(definition, name)
}

function versionMissing(definition: ResourceDefinition, name: string): Error {
  const message = 'Invalid value: 0: must be specified for an update'
  return invalid(definition, name, [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message }])
}

async function store(environment: Environment, target: Target, expected: number, object: KubeObject): Promise<Entry> {
  const last = isBeingDeleted(object) && !isHeld(target.definition, object)
  if (!last) return commit(environment, target, expected, object)
  const removed = await commit(environment, target, expected, undefined)
  return new DerivedEntry({ ...object, metadata: { ...object.metadata, resourceVersion: String(removed.revision) } }, removed.revision)
}
