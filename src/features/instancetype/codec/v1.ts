import {
  VirtualMachineInstancetypeSpec as instancetypeSchema,
  VirtualMachinePreferenceSpec as preferenceSchema,
} from '#api/instancetype/v1beta1/schema.generated.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { deprecatedTopologyNames } from '../cpu-topology.ts'
import type { Family } from '../matcher.ts'
import type { VersionedObject } from './versions.ts'

/** On an object in v1: the v1beta1 fields that v1 cannot express, verbatim. */
export const deprecatedFieldsAnnotation = 'steadyvm.io/v1beta1-fields'

type Fields = Readonly<Record<string, unknown>>

/** Fields that are only meaningful together, and their conversion to v1. */
interface Part {
  readonly keys: readonly string[]
  readonly modernize: (fields: Fields) => Fields
}

const parts: Readonly<Record<Family, readonly Part[]>> = {
  // v1 has it in preferences, with lower precedence than the VM: no instance type field is
  // equivalent.
  instancetype: [{ keys: ['launchSecurity'], modernize: () => ({}) }],
  preference: [
    { keys: ['firmware'], modernize: modernizeFirmware },
    { keys: ['cpu', 'preferSpreadSocketToCoreRatio'], modernize: modernizeCpu },
  ],
}

/**
 * Converts an object to v1, which is v1beta1 without its deprecated fields. Their values move to
 * the replacing fields as far as possible, and are kept verbatim in an annotation, so that the
 * conversion back loses nothing.
 */
export function toV1(object: VersionedObject, family: Family): VersionedObject {
  if (!isJsonObject(object.spec)) return object
  const spec = object.spec as Fields
  const changed = parts[family].flatMap(({ keys, modernize }) => {
    const old = pick(spec, keys)
    const now = modernize(old)
    return deepEqual(old, now) ? [] : [{ keys, old, now }]
  })
  const kept = Object.assign({}, ...changed.map(({ old }) => old)) as Fields
  return annotated(
    changed.reduce<Fields>((fields, { keys, now }) => ({ ...without(fields, keys), ...now }), spec),
    object,
    changed.length === 0 ? undefined : JSON.stringify(kept),
  )
}

/**
 * Converts an object back to v1beta1. A part is taken from the annotation only while it still
 * converts to the v1 fields: later changes in v1 win, and any user may write the annotation.
 */
export function fromV1(object: VersionedObject, family: Family): VersionedObject {
  if (!isJsonObject(object.spec)) return object
  const kept = parse(fieldsOf(object.metadata?.annotations)[deprecatedFieldsAnnotation])
  const spec = parts[family].reduce<Fields>((fields, { keys, modernize }) => {
    const old = pick(kept, keys)
    if (Object.keys(old).length === 0) return fields
    const restored = { ...without(fields, keys), ...old }
    return isValid(restored, family) && deepEqual(modernize(old), pick(fields, keys)) ? restored : fields
  }, object.spec)
  return annotated(spec, object, undefined)
}

function modernizeFirmware(fields: Fields): Fields {
  if (!isJsonObject(fields['firmware'])) return fields
  const { preferredUseEfi, preferredUseSecureBoot: secureBoot, ...firmware } = fieldsOf(fields['firmware'])
  // The newer field overrides the older two.
  if (firmware['preferredEfi'] !== undefined || preferredUseEfi !== true) return { firmware }
  return { firmware: { ...firmware, preferredEfi: secureBoot === undefined ? {} : { secureBoot } } }
}

function modernizeCpu(fields: Fields): Fields {
  const { cpu, preferSpreadSocketToCoreRatio: ratio } = fields
  // Validation refuses values that are no objects.
  if (cpu !== undefined && !isJsonObject(cpu)) return fields
  const { preferredCPUTopology: topology, spreadOptions, ...rest } = fieldsOf(cpu)
  const options = fieldsOf(spreadOptions)
  const isRatioNews = typeof ratio === 'number' && ratio !== 0 && !options['ratio']
  const spread = isRatioNews ? { ...options, ratio } : spreadOptions
  if (cpu === undefined && spread === undefined) return {}
  const name = typeof topology === 'string' ? (deprecatedTopologyNames.get(topology) ?? topology) : topology
  return {
    cpu: {
      ...rest,
      ...(name === undefined ? {} : { preferredCPUTopology: name }),
      ...(spread === undefined ? {} : { spreadOptions: spread }),
    },
  }
}

function annotated(spec: Fields, object: VersionedObject, note: string | undefined): VersionedObject {
  const { [deprecatedFieldsAnnotation]: old, ...others } = fieldsOf(object.metadata?.annotations) as Record<string, string>
  if (old === note) return { ...object, spec }
  const annotations = note === undefined ? others : { ...others, [deprecatedFieldsAnnotation]: note }
  const { annotations: _, ...metadata } = object.metadata ?? {}
  return { ...object, spec, metadata: { ...metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) } }
}

function isValid(spec: Fields, family: Family): boolean {
  return validateStructural(spec, family === 'instancetype' ? instancetypeSchema : preferenceSchema).length === 0
}

function parse(text: unknown): Fields {
  try {
    return fieldsOf(JSON.parse(typeof text === 'string' ? text : '{}'))
  } catch {
    return {}
  }
}

function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {}
}

function pick(fields: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.map((key) => [key, getOwn(fields, key)] as const).filter(([, value]) => value !== undefined))
}

function without(fields: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)))
}
