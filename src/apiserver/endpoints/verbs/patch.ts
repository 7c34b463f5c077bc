import { badRequest, invalid, StatusError, unsupportedMediaType, unknownError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { goText } from '#apimachinery/fields/go-text.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyJsonPatch, JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { applyStrategicMerge, MissingMergeKey, StrategicMergeError } from '#apimachinery/patch/strategic-merge.ts'
import type { Patch } from '#client/client.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { apply } from './apply.ts'
import { decodePatched } from '#apiserver/codec/decode.ts'
import type { Environment } from '../environment.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { patchScale } from '../subresources/scale.ts'
import { assertUpdatable } from './update.ts'

/** The patched object, and whether the patch created it. */
export interface Patched {
  readonly entry: Entry
  readonly created: boolean
}

const maxOperations = 10_000

/** Patches an object, and applies the patch again to the newer state after a conflict. */
export async function patch(
  environment: Environment,
  target: Target,
  change: Patch,
  options: MutationOptions,
  context: RequestContext,
): Promise<Patched> {
  if (change.type === 'apply') return apply(environment, target, change, options, context)
  const { definition } = target
  const quiet = once(context)
  if (target.subresource === 'scale') {
    return {
      entry: await patchScale(environment, target, (scale) => patched(definition, scale, change) as KubeObject, options, quiet),
      created: false,
    }
  }
  assertUpdatable(target, 'patch')
  const next = (old: KubeObject): KubeObject => {
    const object = decodeResult(definition, patched(definition, old, change), change, options, quiet)
    const { name, uid } = object.metadata ?? {}
    if (name !== old.metadata?.name) {
      throw badRequest(`the name of the object (${name ?? ''}) does not match the name on the URL (${target.name})`)
    }
    if (uid !== undefined && uid !== old.metadata?.uid)
      throw invalid(definition, target.name, [invalidValue('metadata.uid', uid, 'field is immutable')])
    return object
  }
  return { entry: await guaranteedUpdate(environment, target, { next, versionRequired: false }, options, quiet), created: false }
}

type PlainPatch = Exclude<Patch, { type: 'apply' }>

/**
 * Decodes the patched object. Error messages differ by patch type as in Kubernetes, which merges a
 * strategic patch into a map and the others into JSON.
 */
function decodeResult(
  definition: ResourceDefinition,
  result: unknown,
  change: PlainPatch,
  options: MutationOptions,
  context: RequestContext,
): KubeObject {
  const report =
    change.type === 'strategic' ? { shown: () => goText(change.body), converted: true } : { shown: () => JSON.stringify(result) }
  return decodePatched(definition, result, options, context, report)
}

function patched(definition: ResourceDefinition, old: KubeObject, change: PlainPatch): unknown {
  switch (change.type) {
    case 'json':
      return jsonPatched(old, change.operations)
    case 'merge':
      return applyMergePatch(old, change.body)
    case 'strategic':
      return strategicPatched(definition, old, change.body)
  }
}

function jsonPatched(old: KubeObject, operations: Extract<Patch, { type: 'json' }>['operations']): unknown {
  if (operations.length > maxOperations) {
    throw tooManyOperations(operations.length)
  }
  try {
    return applyJsonPatch(old, operations)
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error
    // Kubernetes answers without a reason here, and scripts depend on the text.
    const { status } = invalid({ group: '', kind: '' }, '', [])
    const message = 'the server rejected our request due to an error in our request'
    throw new StatusError({ ...status, message, details: {} }, { cause: error })
  }
}

function tooManyOperations(count: number): StatusError {
  const { status } = badRequest(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${count}`)
  return new StatusError({ ...status, reason: 'RequestEntityTooLarge', code: 413 })
}

function strategicPatched(definition: ResourceDefinition, old: KubeObject, body: object): unknown {
  // Only built-in kinds have the merge keys of a strategic patch.
  if (definition.custom)
    throw unsupportedMediaType(['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'])
  try {
    return applyStrategicMerge(old, body, definition.schema)
  } catch (error) {
    if (error instanceof MissingMergeKey) throw unknownError(error.message)
    throw error instanceof StrategicMergeError ? badRequest(error.message) : error
  }
}

/** Passes each warning on once, although the patch may be applied several times. */
function once(context: RequestContext): RequestContext {
  const said = new Set<string>()
  const { user, fieldManager } = context
  return {
    user,
    fieldManager,
    // A getter, because copying the signal costs every patch and few read it.
    get signal() {
      return context.signal
    },
    annotate: (key, value) => context.annotate?.(key, value),
    warn(text) {
      if (said.has(text)) return
      said.add(text)
      context.warn(text)
    },
  }
}
