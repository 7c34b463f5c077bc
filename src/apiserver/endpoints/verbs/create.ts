import { alreadyExists, forbidden, methodNotAllowed, pathNotFound, StatusError, unknownError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import { assertNamespaceAccepts } from '#apiserver/admission/namespaces/namespace-lifecycle.ts'
import { runMutating, runValidating } from '#apiserver/admission/run.ts'
import { admittedManagedFields } from '#apiserver/managed-fields/admitted-managed-fields.ts'
import { trackUpdate, withManagedFields } from '#apiserver/managed-fields/track-update.ts'
import { type Entry, RevisionMismatch } from '#apiserver/storage/object-store.ts'
import type { DecodedBody, MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { commit, dryRunCommit } from '../write/commit.ts'
import { decode, redecode } from '#apiserver/codec/decode.ts'
import { withMetadata } from '#apiserver/codec/metadata.ts'
import type { Environment } from '../environment.ts'
import { keepNew, stampNew } from '../write/system-fields.ts'
import { bindPod } from '../subresources/pod-binding.ts'
import { evictPod } from '../subresources/pod-eviction.ts'
import { requestToken } from '../subresources/token-request.ts'
import { validate } from '../write/validate.ts'
import { withoutStatus } from '../write/status.ts'

const generateTries = 8

/** Handlers of POST to a subresource, by storage key and subresource. */
const subresources: ReadonlyMap<string, typeof bindPod> = new Map([
  ['/pods/binding', bindPod],
  ['/pods/eviction', evictPod],
  ['/serviceaccounts/token', requestToken],
])

/** Creates an object, or performs the action of a subresource. */
export async function create(
  environment: Environment,
  target: Target,
  body: DecodedBody,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  if (target.subresource !== '') return createSubresource(environment, target, body, options, context)
  refuseTerminating({ ...target, name: body.object?.metadata?.name ?? '' })
  const decoded = decode(target.definition, body, options, context)
  return createDecoded(environment, target, { decoded, saysOwners: false }, options, context)
}

/** Creates an object from an apply configuration, which brings its own managedFields. */
export async function createApplied(
  environment: Environment,
  target: Target,
  decoded: KubeObject,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  refuseTerminating(target)
  // Only a POST is refused for a resourceVersion.
  const { resourceVersion: _, ...metadata } = decoded.metadata ?? {}
  return createDecoded(environment, target, { decoded: withMetadata(decoded, metadata), saysOwners: true }, options, context)
}

/** Parameters of one create. */
interface Wanted {
  readonly decoded: KubeObject
  /** True if the object contains managedFields. */
  readonly saysOwners: boolean
}

async function createDecoded(
  environment: Environment,
  target: Target,
  wanted: Wanted,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  for (let tries = 1; ; tries++) {
    const candidate = await prepare(environment, target, wanted, options, context)
    const entry = await store(environment, candidate.target, candidate.object, options)
    if (entry !== undefined) return entry
    const generated = wanted.decoded.metadata?.name === undefined
    if (!generated || tries === generateTries) throw nameTaken(environment, candidate.target, generated)
  }
}

async function prepare(
  environment: Environment,
  collection: Target,
  { decoded, saysOwners }: Wanted,
  options: MutationOptions,
  context: RequestContext,
): Promise<{ target: Target; object: KubeObject }> {
  const { admission, now } = environment
  const { definition } = collection
  const stamped = stampNew(environment, collection, decoded, context)
  const target = { ...collection, name: stamped.metadata?.name ?? '' }
  // Defaults of the kind belong to the manager that left them out.
  const completed = complete(target, withoutForeignStatus(target, stamped), now())
  const sent = decoded.metadata?.managedFields
  const proposed = saysOwners
    ? withManagedFields(completed, sent)
    : trackUpdate(environment, target, { old: undefined, next: completed, sent }, context.fieldManager)
  const request: AdmissionRequest = { operation: 'CREATE', target, object: proposed, old: undefined, dryRun: options.dryRun, context }
  const admitted = (await runMutating(admission, request)) ?? proposed
  const object = admitted === proposed ? proposed : readmit(target, admitted, proposed, now(), context)
  const validating = validate(definition, object, undefined, context)
  if (validating !== undefined) await validating
  await runValidating(admission, { ...request, object })
  for (const warning of definition.strategy.warnings?.(object, undefined) ?? []) context.warn(warning)
  return { target, object }
}

function withoutForeignStatus({ definition }: Target, object: KubeObject): KubeObject {
  return definition.hasStatus && definition.strategy.keepsStatusOnCreate !== true ? withoutStatus(object) : object
}

function complete({ definition }: Target, object: KubeObject, nowMs: number): KubeObject {
  return definition.strategy.prepareForCreate?.(object, nowMs) ?? object
}

/** Decodes and stamps the object again after admission has changed it. */
function readmit(target: Target, admitted: KubeObject, before: KubeObject, nowMs: number, context: RequestContext): KubeObject {
  const decoded = redecode(target.definition, admitted)
  const kept = withManagedFields(keepNew(decoded, before), admittedManagedFields(before, decoded, context))
  return complete(target, withoutForeignStatus(target, kept), nowMs)
}

/** Returns undefined when the name is taken. */
async function store(environment: Environment, target: Target, made: KubeObject, options: MutationOptions): Promise<Entry | undefined> {
  const { definition, namespace = '', name } = target
  const object = options.dryRun ? made : withoutVersion(made)
  // Checked again after admission, which may take seconds: the namespace may be terminating by now.
  assertNamespaceAccepts(environment.store, target)
  assertServed(environment, target)
  if (environment.store.getPending(definition.storageKey, namespace, name) !== undefined) return undefined
  if (options.dryRun) return dryRunCommit(target, object, 0)
  try {
    return await commit(environment, target, 0, object)
  } catch (error) {
    if (error instanceof RevisionMismatch) return undefined
    throw error
  }
}

/**
 * Refuses a resourceVersion at the end of a create, as kube-apiserver does: policies see it before.
 * A version that is 0 or no number is ignored. @throws StatusError 500
 */
function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion, ...metadata } = object.metadata ?? {}
  if (resourceVersion === undefined) return object
  if (/^\d+$/.test(resourceVersion) && Number(resourceVersion) > 0) {
    throw unknownError('resourceVersion should not be set on objects to be created')
  }
  return withMetadata(object, metadata)
}

function nameTaken({ store: objects }: Environment, { definition, namespace = '', name }: Target, generated: boolean): StatusError {
  const { status } = alreadyExists(definition, name)
  const ending = objects.getPending(definition.storageKey, namespace, name)?.object.metadata?.deletionTimestamp !== undefined
  return new StatusError({
    ...status,
    message: `${ending ? 'object is being deleted: ' : ''}${status.message}`,
    // The next attempt generates another name, so tell the client to retry.
    details: { ...status.details, ...(generated ? { retryAfterSeconds: 1 } : {}) },
  })
}

function refuseTerminating({ definition, name }: Target): void {
  if (definition.terminating !== true) return
  throw forbidden(definition, name, 'create not allowed while custom resource definition is terminating')
}

/**
 * Checks that the CustomResourceDefinition still exists after admission; otherwise the object would
 * outlive it.
 */
function assertServed({ registry }: Environment, target: Target): void {
  const { group, version, plural, family } = target.definition
  if (family === undefined) return
  const definition = registry.find(group, version, plural)
  if (definition?.family?.uid !== family.uid) throw pathNotFound()
  refuseTerminating({ ...target, definition })
}

function createSubresource(
  environment: Environment,
  target: Target,
  body: DecodedBody,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const made = subresources.get(`${target.definition.storageKey}/${target.subresource}`)
  if (made === undefined) throw methodNotAllowed(target.definition, 'create')
  return made(environment, target, body, options, context)
}
