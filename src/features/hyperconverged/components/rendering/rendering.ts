import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import type { Override } from '../../configuration/overrides/override.ts'
import { readGates, type GateState } from '../../configuration/gates/read-gates.ts'
import { patchedValuesOf, type FindPatch } from '../../lifecycle/upgrade/patched-values.ts'
import { valueAt, withValueAt } from '../../value-at.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { NodeFacts } from './node-facts.ts'
import { webhookDefaults } from './webhook-defaults.ts'
import type { RenderingProblem, SourcedValue, ValueSource } from './value-source.ts'

/** Everything that component objects depend on. */
export interface RenderingInput {
  /** As stored. */
  readonly hyperconverged: Pick<HyperConverged, 'spec' | 'metadata' | 'status'>
  readonly nodes: NodeFacts
  /** Version of the platform. */
  readonly version: string
  /** Namespace of the operator. */
  readonly namespace: string
  /** Settings of the operator by the names of its environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Default: a cluster without settings of its own. */
  readonly cluster?: ClusterFacts
  /** Changes of rendered objects, in the order in which they are applied. Default: none. */
  readonly overrides?: readonly Override[]
  /** Defaults of gates that an earlier version had, by name, until consent. Default: none. */
  readonly keptGates?: ReadonlyMap<string, boolean>
}

/** Values of a component's object, and fields that could not be rendered. */
export interface Rendered {
  readonly values: readonly SourcedValue[]
  readonly problems: readonly RenderingProblem[]
}

/** A field cannot be rendered. The message says what it must be. */
export class FieldUnusable extends Error {
  override readonly name = 'FieldUnusable'
}

/** Translates the value of a field. Undefined: there is nothing to write. @throws FieldUnusable */
export type Translate = (value: unknown) => unknown

/** Field of HyperConverged that one field of a component follows. Paths below both specs. */
export interface FieldRow {
  readonly field: string
  readonly target: string
  /** Default: the value itself. */
  readonly translate?: Translate
}

const schemaDefaults = applyDefaults({}, schema)

/**
 * Collects the values of a component's object with their sources. A field that cannot be rendered
 * becomes a problem, and does not affect the others.
 */
export class Rendering {
  readonly values: SourcedValue[] = []
  readonly problems: RenderingProblem[] = []
  readonly input: RenderingInput
  readonly #stored: unknown
  readonly #spec: unknown
  readonly #gates: ReadonlyMap<string, GateState>
  readonly #patchBehind: FindPatch

  constructor(input: RenderingInput) {
    this.input = input
    this.#stored = input.hyperconverged.spec
    // Objects that were stored under an older schema lack its newer defaults.
    this.#spec = applyDefaults(input.hyperconverged.spec ?? {}, schema)
    this.#gates = readGates(input.hyperconverged.spec?.featureGates, input.keptGates)
    this.#patchBehind = patchedValuesOf(input.hyperconverged)
  }

  /** Value of a field, with defaults. */
  read(field: string): unknown {
    return valueAt(this.#spec, field.split('.'))
  }

  /** Source of the value of a field. */
  sourceOf(field: string): ValueSource {
    const path = field.split('.')
    const stored = valueAt(this.#stored, path)
    if (stored === undefined) return { kind: 'default', of: 'static', field }
    const patch = this.#patchBehind(path, stored)
    if (patch !== undefined) return { kind: 'patch', field, ...patch }
    if (deepEqual(stored, valueAt(schemaDefaults, path))) return { kind: 'default', of: 'schema', field }
    if (deepEqual(stored, valueAt(webhookDefaults, path))) return { kind: 'default', of: 'webhook', field }
    return { kind: 'user', field }
  }

  /** Writes a field to a target of the component's spec, unless it is absent. */
  field({ field, target, translate = (value) => value }: FieldRow): void {
    const value = this.read(field)
    if (value === undefined || value === null) return
    this.attempt(field, () => this.set(target, translate(value), this.sourceOf(field)))
  }

  /** Runs a part that may throw {@link FieldUnusable} about a field. */
  attempt(field: string, part: () => void): void {
    try {
      part()
    } catch (error) {
      if (!(error instanceof FieldUnusable)) throw error
      this.problems.push({ field: `spec.${field}`, message: error.message })
    }
  }

  /** Writes a value to a target of the component's spec. */
  set(target: string, value: unknown, source: ValueSource): void {
    if (value !== undefined) this.values.push({ path: ['spec', ...target.split('.')], value, source })
  }

  /** Adds an item to a list of the component's spec, unless it has it. */
  add(target: string, value: unknown, source: ValueSource): void {
    const path = ['spec', ...target.split('.')]
    const isPresent = this.values.some((other) => other.isItem === true && deepEqual(other.value, value) && deepEqual(other.path, path))
    if (!isPresent) this.values.push({ path, value, isItem: true, source })
  }

  /** Writes an annotation of the component's object. */
  annotate(name: string, value: string, source: ValueSource): void {
    this.values.push({ path: ['metadata', 'annotations', name], value, source })
  }

  /** Writes a label of the component's object. */
  label(name: string, value: string, source: ValueSource): void {
    this.values.push({ path: ['metadata', 'labels', name], value, source })
  }

  /** TLS profile of the user, else that of the cluster; undefined for none. */
  tlsProfile(): { readonly profile: unknown; readonly source: ValueSource } | undefined {
    const field = 'security.tlsSecurityProfile'
    const profile = this.read(field)
    if (profile !== undefined && profile !== null) return { profile, source: this.sourceOf(field) }
    const { tlsSecurityProfile } = this.input.cluster ?? {}
    return tlsSecurityProfile === undefined
      ? undefined
      : { profile: tlsSecurityProfile, source: { kind: 'cluster', what: 'TLS profile of the APIServer "cluster"' } }
  }

  /** Writes the TLS profile to a target of the component's spec, unless there is none. */
  tlsProfileTo(target: string): void {
    const found = this.tlsProfile()
    if (found !== undefined) this.set(target, found.profile, found.source)
  }

  gates(): Iterable<GateState> {
    return this.#gates.values()
  }

  gate(name: string): GateState | undefined {
    return this.#gates.get(name)
  }

  isOn(name: string): boolean {
    return this.gate(name)?.isOn === true
  }

  done(): Rendered {
    return { values: this.values, problems: this.problems }
  }
}

/** Source of a value that a gate switches. Pure. */
export function gateSource({ row, because }: GateState): ValueSource {
  return { kind: 'gate', gate: row.name, because }
}

/** Builds the object of a component from its values. Pure. */
export function objectOf(values: readonly SourcedValue[]): Readonly<Record<string, unknown>> {
  return values.reduce<unknown>((object, { path, value, isItem }) => {
    if (isItem !== true) return withValueAt(object, path, value)
    const list = valueAt(object, path)
    return withValueAt(object, path, [...(Array.isArray(list) ? (list as unknown[]) : []), value])
  }, {}) as Readonly<Record<string, unknown>>
}
