import { badRequest, StatusError } from '#apimachinery/errors.ts'
import { checkType } from '#apimachinery/fields/check-type.ts'
import { has } from '#apimachinery/fields/field-set.ts'
import type { Writing } from '#apimachinery/fields/managers.ts'
import { type Applied, applyOwned, OwnershipConflict } from '#apimachinery/fields/ownership.ts'
import { FieldTypeError } from '#apimachinery/fields/typed-value.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { applyConflict } from './conflict-error.ts'
import { kindTypeOf } from './kind-type.ts'
import { fieldsLastApplied, withLastApplied } from './last-applied.ts'
import { decodeOwnership, encodeOwnership, type Ownership } from './ownership-codec.ts'
import { type Tracking, updateOwnership, withManagedFields, writingOf } from './track-update.ts'

/** An apply configuration with its manager. */
export interface Configuration {
  readonly config: KubeObject
  readonly manager: string
  /** True to take over fields of other managers. */
  readonly force: boolean
}

/** The only manager with a history of client-side apply. */
const kubectl = 'kubectl'
/** Manager of fields that existed before the first apply. */
const beforeFirstApply = 'before-first-apply'

/** Returns a value if it is a string. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
}

function kindText({ apiVersion, kind }: KubeObject): string {
  const { group, version } = parseApiVersion(textOf(apiVersion))
  return `${group}/${version}, Kind=${textOf(kind)}`
}

function nameText(object: KubeObject): string {
  const { namespace = '', name = '' } = object.metadata ?? {}
  return `${namespace}/${name}; ${kindText(object)}`
}

function failure(message: string, cause: unknown): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: '', code: 500 }, { cause })
}

function check({ definition }: Target, config: KubeObject): void {
  if (config.apiVersion !== apiVersionOf(definition) || config.kind !== definition.kind) {
    throw badRequest(`invalid object type: ${kindText(config)}`)
  }
  const managedFields: unknown = config.metadata?.managedFields
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil')
  try {
    checkType(kindTypeOf(definition), config)
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    throw failure(`failed to create typed patch object (${nameText(config)}): ${error.message}`, error)
  }
}

/** Assigns existing fields to a manager at the first apply, as their writer is unknown. */
function startingOwnership(tracking: Tracking, target: Target, live: KubeObject | undefined): Ownership {
  const ownership = decodeOwnership(live?.metadata?.managedFields)
  if (live === undefined || ownership.managers.size > 0) return ownership
  return updateOwnership(writingOf(tracking, target, beforeFirstApply, 'Update'), undefined, live, ownership, tracking.now())
}

/** Applies for kubectl without conflicts with its own client-side apply. */
function applyForgiving(
  target: Target,
  writing: Writing,
  live: KubeObject | undefined,
  ownership: Ownership,
  configuration: Configuration,
): Applied {
  const { config, manager, force } = configuration
  try {
    return applyOwned(writing, live, config, ownership.managers, force)
  } catch (error) {
    if (!(error instanceof OwnershipConflict)) throw error
    if (manager !== kubectl || live === undefined) throw applyConflict(error.conflicts, error)
    const own = fieldsLastApplied(kindTypeOf(target.definition), live)
    const others = error.conflicts.filter(({ path }) => !has(own, path))
    if (others.length > 0) throw applyConflict(others, error)
    return applyOwned(writing, live, config, ownership.managers, true)
  }
}

function owned(
  tracking: Tracking,
  target: Target,
  writing: Writing,
  live: KubeObject | undefined,
  configuration: Configuration,
): Applied & { readonly ownership: Ownership } {
  try {
    const ownership = startingOwnership(tracking, target, live)
    return { ownership, ...applyForgiving(target, writing, live, ownership, configuration) }
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    // The live object, or the result, violates the schema.
    throw failure(`failed to create typed live object (${nameText(configuration.config)}): ${error.message}`, error)
  }
}

/**
 * Applies a configuration to the live object or a new one, and updates managedFields. Defaults are
 * not set yet. The entry point of this package together with `track-update.ts`.
 * @throws StatusError 409 for conflicts; 400 and 500 for a configuration of another kind
 */
export function applyConfiguration(
  tracking: Tracking,
  target: Target,
  live: KubeObject | undefined,
  configuration: Configuration,
): KubeObject {
  const { config, manager } = configuration
  check(target, config)
  const form = target.definition.strategy.prepareForApply?.(config) ?? config
  const writing = writingOf(tracking, target, manager, 'Apply')
  const { ownership, object, managers } = owned(tracking, target, writing, live, { ...configuration, config: form })
  const times = object === undefined ? ownership.times : new Map(ownership.times).set(writing.manager, rfc3339(tracking.now()))
  const result = (object ?? live ?? form) as KubeObject
  const recorded = manager === kubectl ? withLastApplied(result, config) : result
  const isSame = object === undefined && managers === ownership.managers
  return withManagedFields(recorded, isSame ? live?.metadata?.managedFields : encodeOwnership({ managers, times }))
}
