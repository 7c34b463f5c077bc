import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { immediateBindAnnotation, templateDefaults } from '../components/boot-images/built-in-images.ts'
import { onlyInV1 } from '../configuration/conversion/field-paths.ts'
import { findGate } from '../configuration/gates/feature-gates.ts'
import { listedGates } from '../configuration/gates/read-gates.ts'
import { webhookDefaults } from '../components/rendering/webhook-defaults.ts'
import { valueAt, withoutValueAt, withValueAt, type FieldPath } from '../value-at.ts'

/** A request that writes a HyperConverged object, in v1. */
export interface Writing {
  readonly spec: unknown
  /** Undefined for a creation. */
  readonly oldSpec?: unknown
  /** True if the client wrote v1beta1. */
  readonly isOldVersion: boolean
}

/** Spec after the defaults and repairs of the webhook, and warnings about them. */
export interface Mutated {
  readonly spec: unknown
  readonly warnings: readonly string[]
}

/**
 * Fills what is a default of new objects only, restores what old clients do not know, and repairs
 * shapes that the schema refuses. Values of users are not changed, except for obsolete ones. Pure.
 */
export function mutateHyperConverged({ spec, oldSpec, isOldVersion }: Writing): Mutated {
  const warnings: string[] = []
  const steps: readonly ((spec: unknown) => unknown)[] = [
    repairedGates,
    (value) => withoutObsoleteTuning(value, warnings),
    withImportDefaults,
    (value) => (oldSpec === undefined ? withCreationDefaults(value) : value),
    (value) => (isOldVersion && oldSpec !== undefined ? withNewerFields(value, oldSpec) : value),
  ]
  const next = steps.reduce<unknown>((value, step) => step(value), spec)
  return { spec: deepEqual(next, spec) ? spec : next, warnings }
}

const gatesPath: FieldPath = ['featureGates']

/** Gates were stored as an object below v1, also as an empty one. */
function repairedGates(spec: unknown): unknown {
  const gates = valueAt(spec, gatesPath)
  if (gates === undefined || Array.isArray(gates)) return spec
  const list = listedGates(gates).map(({ name, isEnabled }) => ({ name, state: isEnabled ? 'Enabled' : 'Disabled' }))
  return list.length === 0 ? withoutValueAt(spec, gatesPath) : withValueAt(spec, gatesPath, list)
}

const tuningPath: FieldPath = ['virtualization', 'tuningPolicy']

function withoutObsoleteTuning(spec: unknown, warnings: string[]): unknown {
  if (valueAt(spec, tuningPath) !== 'highBurst') return spec
  warnings.push('spec.virtualization.tuningPolicy highBurst is obsolete, and was removed: its limits are the defaults of KubeVirt')
  return withoutValueAt(spec, tuningPath)
}

const importsPath: FieldPath = ['workloadSources', 'dataImportCronTemplates']

function withImportDefaults(spec: unknown): unknown {
  const list = valueAt(spec, importsPath)
  if (!Array.isArray(list)) return spec
  const complete = (item: unknown): unknown => {
    if (!isJsonObject(item) || !isJsonObject(item['spec'])) return item
    const annotation = ['metadata', 'annotations', immediateBindAnnotation]
    const bound = valueAt(item, annotation) === undefined ? withValueAt(item, annotation, 'true') : item
    return withValueAt(bound, ['spec'], { ...templateDefaults, ...item['spec'] })
  }
  return withValueAt(spec, importsPath, list.map(complete))
}

function withCreationDefaults(spec: unknown): unknown {
  const path: FieldPath = ['virtualization', 'ksmConfiguration']
  return valueAt(spec, path) === undefined ? withValueAt(spec, path, valueAt(webhookDefaults, path)) : spec
}

const schemaDefaults = applyDefaults({}, schema)

/**
 * Restores the fields that v1beta1 does not have. A client of v1beta1 that does not send the
 * annotation back, in which the conversion keeps them, would remove them without knowing. The API
 * server may have filled the default of the schema since, which says nothing about the client.
 */
function withNewerFields(spec: unknown, oldSpec: unknown): unknown {
  return Object.values(onlyInV1).reduce<unknown>(
    (next, path) => {
      const old = valueAt(oldSpec, path)
      const said = valueAt(next, path)
      const isUnsaid = said === undefined || deepEqual(said, valueAt(schemaDefaults, path))
      return old === undefined || !isUnsaid ? next : withValueAt(next, path, old)
    },
    withNewerGates(spec, oldSpec),
  )
}

/** Gates that v1beta1 does not have. */
function withNewerGates(spec: unknown, oldSpec: unknown): unknown {
  const gates = valueAt(spec, gatesPath)
  const old = valueAt(oldSpec, gatesPath)
  if (!Array.isArray(old)) return spec
  const known = new Set(listedGates(gates).map(({ name }) => name.toLowerCase()))
  const lost = old.filter((item: unknown) => {
    const [gate] = listedGates([item])
    return gate !== undefined && !known.has(gate.name.toLowerCase()) && isOnlyInV1(gate.name)
  })
  return lost.length === 0 ? spec : withValueAt(spec, gatesPath, [...(Array.isArray(gates) ? (gates as unknown[]) : []), ...lost])
}

function isOnlyInV1(name: string): boolean {
  return findGate(name)?.isInV1beta1 === false
}
