import { HyperConvergedSpec as schemaOfV1 } from '#api/hco/v1/schema.generated.ts'
import { HyperConvergedSpec as schemaOfV1beta1 } from '#api/hco/v1beta1/schema.generated.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { gateLeftoverOf, restoreGates, type GateLeftover } from './convert-gates.ts'
import { specTo } from './convert-spec.ts'
import { onlyInV1 } from './field-paths.ts'
import { leftoversOf, readLeftovers, restoreLeftovers, type Leftover } from './leftovers.ts'
import { valueAt, withoutValueAt, withValueAt, type FieldPath } from '../../value-at.ts'

const versions = {
  v1: { other: 'v1beta1', shape: 'list', schema: schemaOfV1, leftovers: 'steadyvm.io/v1beta1-fields' },
  v1beta1: { other: 'v1', shape: 'object', schema: schemaOfV1beta1, leftovers: 'steadyvm.io/v1-fields' },
} as const
type Version = keyof typeof versions

const group = 'hco.kubevirt.io'
/** Annotation of v1beta1 objects in which earlier operators kept fields of v1. */
const formerAnnotation = 'hco.kubevirt.io/v1-only-fields'

/** What the other version cannot express, in an annotation. */
interface Kept {
  readonly gates?: GateLeftover
  readonly fields?: readonly Leftover[]
}

/** Converts an object of any version to the version that is stored. Pure. @throws StatusError */
export function toStoredVersion(object: KubeObject): KubeObject {
  return convertHyperConverged(object, `${group}/v1`)
}

type Converted = KubeObject & { readonly spec?: unknown }

/**
 * Converts a HyperConverged object between v1 and v1beta1, without loss in either direction. What
 * the other version cannot express is kept in an annotation, and is restored unless the other
 * version has changed the same field since. Reads every shape that was ever stored. Pure.
 * @throws StatusError for unknown versions
 */
export function convertHyperConverged(object: KubeObject, apiVersion: string): KubeObject {
  const [from, to] = [versionOf(object.apiVersion), versionOf(apiVersion)]
  if (from === undefined || to === undefined || object.kind !== 'HyperConverged')
    throw badRequest(
      `cannot convert ${object.kind ?? ''} "${object.metadata?.name ?? ''}" from ${object.apiVersion ?? ''} to ${apiVersion}`,
    )
  if (from === to) return object
  const { spec } = object as Converted
  const { [versions[from].leftovers]: text, [formerAnnotation]: former, ...others } = object.metadata?.annotations ?? {}
  const restored = restore(to, spec, readKept(text))
  const next = to === 'v1' && former !== undefined ? withFormer(restored, former) : restored
  const kept = keptOf(to, next, spec)
  const annotations = {
    ...others,
    ...(to === 'v1' || former === undefined ? {} : { [formerAnnotation]: former }),
    ...(kept === undefined ? {} : { [versions[to].leftovers]: JSON.stringify(kept) }),
  }
  const { annotations: _, ...metadata } = object.metadata ?? {}
  return {
    ...object,
    apiVersion,
    metadata: { ...metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    ...(next === undefined ? {} : { spec: next }),
  } as KubeObject
}

function versionOf(apiVersion: string | undefined): Version | undefined {
  const names = Object.keys(versions) as Version[]
  return names.find((version) => apiVersion === `${group}/${version}`)
}

/** Converts a spec, and restores what an earlier conversion has kept. */
function restore(to: Version, spec: unknown, kept: Kept): unknown {
  if (spec === undefined) return undefined
  const plain = specTo(to, spec)
  const fields = restoreLeftovers(withoutValueAt(plain, ['featureGates']), kept.fields ?? [])
  const gates =
    kept.gates === undefined
      ? valueAt(plain, ['featureGates'])
      : restoreGates(kept.gates, valueAt(spec, ['featureGates']), versions[to].shape)
  const whole = gates === undefined ? fields : withValueAt(fields, ['featureGates'], gates)
  // Any user may write the annotation: it must not bring in what the schema refuses.
  return isWorse(whole, plain, to) ? plain : whole
}

function isWorse(restored: unknown, plain: unknown, to: Version): boolean {
  const { schema } = versions[to]
  return restored !== undefined && validateStructural(restored, schema).length > validateStructural(plain, schema).length
}

/** Returns what the conversion back would lose of the original; undefined for nothing. */
function keptOf(to: Version, converted: unknown, original: unknown): Kept | undefined {
  if (original === undefined) return undefined
  const back = specTo(versions[to].other, converted)
  const [was, is, again] = [original, converted, back].map((spec) => valueAt(spec, ['featureGates']))
  const gates = gateLeftoverOf(was, is, again)
  const fields = leftoversOf(withoutValueAt(original, ['featureGates']), withoutValueAt(back, ['featureGates'])).toSorted(byPath)
  if (gates === undefined && fields.length === 0) return undefined
  return { ...(gates === undefined ? {} : { gates }), ...(fields.length === 0 ? {} : { fields }) }
}

/** Gives equal objects equal annotations, whatever the order of their fields. */
function byPath(one: Leftover, other: Leftover): number {
  return one.path.join('/') < other.path.join('/') ? -1 : 1
}

/** Returns the paths of the fields of v1beta1 that the conversion has kept in a v1 object. Pure. */
export function keptFieldsOf({ metadata }: Pick<KubeObject, 'metadata'>): readonly FieldPath[] {
  const { fields = [] } = readKept(metadata?.annotations?.[versions.v1.leftovers])
  return fields.map(({ path }) => path)
}

function readKept(text: string | undefined): Kept {
  const value = parsed(text)
  if (!isJsonObject(value)) return {}
  return { fields: readLeftovers(value['fields']), ...(isJsonObject(value['gates']) ? { gates: value['gates'] } : {}) }
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown
  } catch {
    return undefined
  }
}

/** Adds the fields of v1 that an earlier operator kept in its annotation, where they are absent. */
function withFormer(spec: unknown, former: string): unknown {
  const value = parsed(former)
  const found = Object.entries(onlyInV1).flatMap(([key, path]) => {
    const field = valueAt(value, [key])
    return field === undefined || field === null || valueAt(spec, path) !== undefined ? [] : [{ path, field }]
  })
  const whole = found.reduce((made, { path, field }) => withValueAt(made, path, field), spec)
  return isWorse(whole, spec, 'v1') ? spec : whole
}
