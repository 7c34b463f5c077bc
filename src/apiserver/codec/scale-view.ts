import { internalError, invalid, methodNotAllowed } from '#apimachinery/errors.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Target } from '#apiserver/request/api-request.ts'

/** API version of every Scale. */
export const scaleApiVersion = 'autoscaling/v1'
const kind = 'Scale'
const largestInt32 = 2_147_483_647

/** `autoscaling/v1` Scale. */
export interface Scale extends KubeObject {
  spec?: { replicas?: unknown }
}

/** Paths of the fields of a kind that a Scale shows. */
export type ScalePaths = NonNullable<ResourceDefinition['scale']>

/** @throws StatusError 405 when the kind has no Scale */
export function scalePaths(definition: ResourceDefinition, verb: string): ScalePaths {
  if (definition.scale === undefined) throw methodNotAllowed(definition, verb)
  return definition.scale
}

/**
 * Converts an object to its Scale. @throws StatusError 405 when its kind has none, 500 when
 * `specReplicasPath` leads nowhere
 */
export function scaleView(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const paths = scalePaths(definition, 'get')
  const replicas = readPath(object, paths.specReplicasPath)
  if (typeof replicas !== 'number') throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`)
  const { name = '', namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {}
  const metadata: ObjectMeta = { name, ...defined({ namespace, uid, resourceVersion, creationTimestamp }) }
  const selector = paths.labelSelectorPath === undefined ? undefined : readPath(object, paths.labelSelectorPath)
  const status = { replicas: readPath(object, paths.statusReplicasPath) ?? 0, ...defined({ selector: selectorText(selector) }) }
  const scale: KubeObject & { spec: object; status: object } = { apiVersion: scaleApiVersion, kind, metadata, spec: { replicas }, status }
  return scale
}

/** Formats the selector of a built-in workload; custom resources store text. */
function selectorText(selector: unknown): unknown {
  if (!isJsonObject(selector)) return selector
  const isStructured = 'matchLabels' in selector || 'matchExpressions' in selector
  return labelSelectorFromObject(isStructured ? selector : { matchLabels: selector as Record<string, string> }).toString()
}

/** Sets the replicas of a Scale in the object. @throws StatusError 422 */
export function withScale(target: Target, object: KubeObject, scale: Scale): KubeObject {
  return writePath(object, scalePaths(target.definition, 'update').specReplicasPath, checkedReplicas(target, scale))
}

/** Number of replicas that a Scale asks for. @throws StatusError 422 */
export function checkedReplicas({ name }: Target, scale: Scale): number {
  // Go clients omit a zero.
  const replicas = scale.spec?.replicas ?? 0
  if (typeof replicas === 'number' && Number.isInteger(replicas) && replicas >= 0 && replicas <= largestInt32) return replicas
  const message = `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`
  throw invalid({ group: 'autoscaling', kind }, name, [{ reason: 'FieldValueInvalid', field: 'spec.replicas', message }])
}

function steps(path: string): string[] {
  return path.split('.').filter((step) => step !== '')
}

/** Value at a dotted path, or undefined. */
export function readPath(object: unknown, path: string): unknown {
  return steps(path).reduce<unknown>((value, step) => (isJsonObject(value) ? value[step] : undefined), object)
}

/** Copy of the object with another value at a dotted path. */
export function writePath(object: KubeObject, path: string, value: unknown): KubeObject {
  return replaced(object, steps(path), value) as KubeObject
}

function replaced(object: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const present = isJsonObject(object) ? object : {}
  return { ...present, [step]: replaced(present[step], rest, value) }
}

/** Copy without undefined and null values. */
export function defined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}
