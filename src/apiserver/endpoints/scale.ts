import { badRequest, internalError, invalid, methodNotAllowed } from '#apimachinery/errors.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { MutationOptions, RequestContext, Target } from './api-request.ts'
import { DerivedEntry } from './derived-entry.ts'
import type { Environment } from './environment.ts'
import { applyConfiguration, type Configuration } from '#apiserver/managed-fields/apply-configuration.ts'
import { withConversions } from '#apiserver/managed-fields/conversions.ts'
import { guaranteedUpdate } from './guaranteed-update.ts'

const apiVersion = 'autoscaling/v1'
const kind = 'Scale'
const largestInt32 = 2_147_483_647

/** `autoscaling/v1` Scale: the part of an object that says how many. */
interface Scale extends KubeObject {
  spec?: { replicas?: unknown }
}

type ScalePaths = NonNullable<ResourceDefinition['scale']>

/**
 * The object seen as a Scale. @throws StatusError 405 when its kind has none, 500 when the path
 * leads nowhere
 */
export function scaleOf(definition: ResourceDefinition, entry: Entry): Entry {
  return new DerivedEntry(scaleView(definition, entry.object), entry.revision)
}

function pathsOf(definition: ResourceDefinition, verb: string): ScalePaths {
  if (definition.scale === undefined) throw methodNotAllowed(definition, verb)
  return definition.scale
}

/**
 * An object as its Scale. @throws StatusError 405 when its kind has none, 500 when the path leads
 * nowhere
 */
export function scaleView(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const paths = pathsOf(definition, 'get')
  const replicas = read(object, paths.specReplicasPath)
  if (typeof replicas !== 'number') throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`)
  const { name = '', namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {}
  const metadata: ObjectMeta = { name, ...defined({ namespace, uid, resourceVersion, creationTimestamp }) }
  const selector = paths.labelSelectorPath === undefined ? undefined : read(object, paths.labelSelectorPath)
  const status = { replicas: read(object, paths.statusReplicasPath) ?? 0, ...defined({ selector: selectorText(selector) }) }
  const scale: KubeObject & { spec: object; status: object } = { apiVersion, kind, metadata, spec: { replicas }, status }
  return scale
}

/** Built-in workloads have a structured selector, or labels as such; in a Scale it is text. */
function selectorText(selector: unknown): unknown {
  if (!isJsonObject(selector)) return selector
  const isStructured = 'matchLabels' in selector || 'matchExpressions' in selector
  return labelSelectorFromObject(isStructured ? selector : { matchLabels: selector as Record<string, string> }).toString()
}

/** Replaces the Scale of an object: sets how many are wanted. */
export async function updateScale(
  environment: Environment,
  target: Target,
  scale: Scale,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  pathsOf(target.definition, 'update')
  const sentName = scale.metadata?.name
  if (sentName !== undefined && sentName !== target.name) {
    throw badRequest(`the name of the object (${sentName}) does not match the name on the URL (${target.name})`)
  }
  return patchScale(environment, target, () => scale, options, context)
}

/** Changes the Scale of an object by what a patch makes of it. */
export async function patchScale(
  environment: Environment,
  target: Target,
  next: (scale: KubeObject) => KubeObject,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const { definition } = target
  const paths = pathsOf(definition, 'patch')
  const change = (old: KubeObject): KubeObject => {
    const scale: Scale = next(scaleView(definition, old))
    const scaled = write(old, paths.specReplicasPath, checkedReplicas(target, scale))
    const { resourceVersion, uid } = scale.metadata ?? {}
    const { resourceVersion: _version, uid: _uid, ...metadata } = scaled.metadata ?? {}
    return { ...scaled, metadata: { ...metadata, ...defined({ resourceVersion, uid }) } }
  }
  const entry = await guaranteedUpdate(environment, target, { next: change, versionRequired: false }, options, context)
  return scaleOf(definition, entry)
}

/**
 * Applies a Scale: its manager then owns how many are wanted. @throws StatusError 404 when there is
 * no object, 409 when somebody else owns the number
 */
export async function applyScale(
  environment: Environment,
  target: Target,
  { config: scale, ...how }: Configuration & { readonly config: Scale },
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const { definition } = target
  const paths = pathsOf(definition, 'patch')
  const { group, version } = parseApiVersion(scale.apiVersion ?? '')
  if (scale.apiVersion !== apiVersion || scale.kind !== kind) {
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${scale.kind ?? ''}`)
  }
  if (scale.metadata?.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil')
  const next = (old: KubeObject): KubeObject | Promise<KubeObject> =>
    withConversions(environment, definition, (tracking) => {
      const config = configOf(definition, scale, paths)
      const applied = applyConfiguration(tracking, target, old, { ...how, config })
      const replicas = checkedReplicas(target, { spec: { replicas: read(applied, paths.specReplicasPath) } })
      return write(applied, paths.specReplicasPath, replicas)
    })
  const entry = await guaranteedUpdate(environment, target, { next, versionRequired: false, saysOwners: true }, options, context)
  return scaleOf(definition, entry)
}

/** The object with as many wanted as a Scale says. @throws StatusError 422 */
export function withScale(target: Target, object: KubeObject, scale: Scale): KubeObject {
  return write(object, pathsOf(target.definition, 'update').specReplicasPath, checkedReplicas(target, scale))
}

/** What a Scale says, said of the object itself. */
function configOf(definition: ResourceDefinition, scale: Scale, paths: ScalePaths): KubeObject {
  const { resourceVersion, uid } = scale.metadata ?? {}
  const bare: KubeObject = { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata: defined({ resourceVersion, uid }) }
  const replicas = scale.spec?.replicas
  return replicas === undefined ? bare : write(bare, paths.specReplicasPath, replicas)
}

function checkedReplicas({ name }: Target, scale: Scale): number {
  // A Scale without a number means zero, as in every typed client.
  const replicas = scale.spec?.replicas ?? 0
  if (typeof replicas === 'number' && Number.isInteger(replicas) && replicas >= 0 && replicas <= largestInt32) return replicas
  const message = `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`
  throw invalid({ group: 'autoscaling', kind }, name, [{ reason: 'FieldValueInvalid', field: 'spec.replicas', message }])
}

function steps(path: string): string[] {
  return path.split('.').filter((step) => step !== '')
}

function read(object: unknown, path: string): unknown {
  return steps(path).reduce<unknown>((value, step) => (isJsonObject(value) ? value[step] : undefined), object)
}

function write(object: KubeObject, path: string, value: unknown): KubeObject {
  return replaced(object, steps(path), value) as KubeObject
}

function replaced(object: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const present = isJsonObject(object) ? object : {}
  return { ...present, [step]: replaced(present[step], rest, value) }
}

function defined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}
