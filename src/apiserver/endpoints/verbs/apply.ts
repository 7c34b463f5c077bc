import { badRequest, conflict, invalid, isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Patch } from '#client/client.ts'
import { applyConfiguration, type Configuration } from '#apiserver/managed-fields/apply-configuration.ts'
import { withConversions } from '#apiserver/managed-fields/conversions.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { createApplied } from './create.ts'
import { decodePatched } from '#apiserver/codec/decode.ts'
import type { Environment } from '../environment.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import type { Patched } from './patch.ts'
import { applyScale } from '../subresources/scale.ts'
import { assertUpdatable } from './update.ts'

type Apply = Extract<Patch, { type: 'apply' }>

const tries = 8

/**
 * Server-side apply: sets the fields of the configuration, and removes those that the manager
 * applied before and no longer does. Creates a missing object.
 */
export async function apply(
  environment: Environment,
  target: Target,
  change: Apply,
  options: MutationOptions,
  context: RequestContext,
): Promise<Patched> {
  const configuration = configurationOf(change)
  if (target.subresource === 'scale') {
    return { entry: await applyScale(environment, target, configuration, options, context), created: false }
  }
  assertUpdatable(target, 'patch')
  for (let attempt = 1; ; attempt++) {
    const created = target.subresource === '' && !exists(environment, target)
    try {
      const entry = await (created ? create : update)(environment, target, configuration, options, context)
      return { entry, created }
    } catch (error) {
      // Another request created or deleted the object in between.
      const isOvertaken = created ? isAlreadyExists(error) : isNotFound(error) && !exists(environment, target)
      if (!isOvertaken || attempt === tries || target.subresource !== '') throw error
    }
  }
}

function exists({ store }: Environment, { definition, namespace = '', name }: Target): boolean {
  return store.getPending(definition.storageKey, namespace, name) !== undefined
}

function configurationOf({ body, fieldManager, force = false }: Apply): Configuration {
  if (fieldManager !== '') return { config: body, manager: fieldManager, force }
  throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    { reason: 'FieldValueRequired', field: 'fieldManager', message: 'Required value: is required for apply patch' },
  ])
}

function update(
  environment: Environment,
  target: Target,
  configuration: Configuration,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const next = (old: KubeObject): KubeObject | Promise<KubeObject> =>
    withConversions(environment, target.definition, (tracking) => {
      const applied = applyConfiguration(tracking, target, old, configuration)
      return decodeApplied(target, applied, configuration, options, context)
    })
  return guaranteedUpdate(environment, target, { next, versionRequired: false, saysOwners: true }, options, context)
}

function create(
  environment: Environment,
  target: Target,
  configuration: Configuration,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const { definition, name } = target
  const uid = configuration.config.metadata?.uid
  const applied = applyConfiguration(environment, target, undefined, configuration)
  const object = decodeApplied(target, applied, configuration, options, context)
  if (uid !== undefined && uid !== '') {
    throw conflict(definition, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`)
  }
  return createApplied(environment, target, object, options, context)
}

function decodeApplied(
  { definition, name, namespace }: Target,
  applied: KubeObject,
  { config }: Configuration,
  options: MutationOptions,
  context: RequestContext,
): KubeObject {
  const object = decodePatched(definition, applied, options, context, { shown: () => JSON.stringify(config) })
  const sent = object.metadata ?? {}
  if (sent.name === undefined) throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (sent.name !== name) throw badRequest(`the name of the object (${sent.name}) does not match the name on the URL (${name})`)
  if (definition.namespaced && sent.namespace !== undefined && sent.namespace !== namespace) {
    throw badRequest(`the namespace of the object (${sent.namespace}) does not match the namespace on the URL (${namespace ?? ''})`)
  }
  return object
}
