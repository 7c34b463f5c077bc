import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { changedPaths } from '../../components/objects/changed-paths.ts'
import { renderComponent } from '../overrides/render-component.ts'
import type { Component } from '../../components/rendering/components.ts'
import { wantedComponents } from '../../components/workloads/wanted-components.ts'
import { objectOf, type RenderingInput } from '../../components/rendering/rendering.ts'
import { itemsAt, nameOfItem, valuesHolding, type SourcedValue, type ValueSource } from '../../components/rendering/value-source.ts'
import { valueAt, withValueAt, type FieldPath } from '../../value-at.ts'
import { renderingInputOf, type ExplanationInput } from './why.ts'

/** HyperConverged and its overrides at one moment. Undefined: there is no object. */
export interface PlatformVersion {
  readonly hyperconverged: HyperConverged | undefined
  readonly overrides: readonly ComponentOverride[]
}

/** A value of a component's object that becomes another one. */
export interface ComponentFieldChange {
  /** Path in the object of the component. */
  readonly path: string
  /** Absent when there was no value. */
  readonly old?: unknown
  /** Absent when there is no value any more. */
  readonly new?: unknown
  /** Source of the new value, or of the old one when the value is removed. */
  readonly source: ValueSource
}

/** Effect of an edit of HyperConverged on one component. */
export interface ComponentChange {
  readonly component: string
  readonly kind: string
  readonly action: 'create' | 'edit' | 'remove'
  /** False if the kind of the component is not installed: the change waits for it. */
  readonly isInstalled: boolean
  readonly fields: readonly ComponentFieldChange[]
}

/** Facts that do not change with the edit. */
export type PlatformFacts = Pick<ExplanationInput, 'nodes' | 'kubevirt' | 'now'> & {
  /** Names of the components whose kinds are installed. */
  readonly installed: ReadonlySet<string>
}

/** Compares what is rendered before and after an edit, component by component. Pure. */
export function componentChangesOf(before: PlatformVersion, after: PlatformVersion, facts: PlatformFacts): readonly ComponentChange[] {
  const all = [before, after].flatMap((version) => componentsOf(version, facts))
  const names = [...new Set(all.map(({ name }) => name))]
  return names.flatMap((name): ComponentChange[] => {
    const [old, next] = [valuesOf(name, before, facts), valuesOf(name, after, facts)]
    const component = all.findLast((one) => one.name === name)
    if (component === undefined) return []
    const fields = fieldChanges(old ?? [], next ?? [])
    if (old === undefined ? next === undefined : next !== undefined && fields.length === 0) return []
    const action = old === undefined ? 'create' : next === undefined ? 'remove' : 'edit'
    return [
      { component: name, kind: component.kind, action, isInstalled: component.builtIn !== undefined || facts.installed.has(name), fields },
    ]
  })
}

/**
 * Returns a manifest of the KubeVirt object after the edit, for the prediction of guests: it has
 * null where a rendered field goes away. Undefined if nothing is rendered. Pure.
 */
export function kubeVirtAfter(
  before: PlatformVersion,
  after: PlatformVersion,
  facts: PlatformFacts & { readonly kubevirt: KubeVirt },
): object | undefined {
  const [old, next] = [valuesOf('kubevirt', before, facts), valuesOf('kubevirt', after, facts)]
  if (next === undefined) return undefined
  const wanted = objectOf(next)
  const removed = changedPaths(objectOf(old ?? []), wanted).filter((path) => valueAt(wanted, path) === undefined)
  const object = removed.reduce<unknown>((made, path) => withValueAt(made, path, null), wanted)
  const { name, namespace } = facts.kubevirt.metadata
  const { spec, metadata } = object as { readonly spec?: unknown; readonly metadata?: object }
  return { apiVersion: apiVersionOf(kubeVirts), kind: kubeVirts.kind, metadata: { ...metadata, name, namespace }, spec }
}

/** Undefined: HyperConverged does not ask for the component. */
function valuesOf(name: string, version: PlatformVersion, facts: PlatformFacts): readonly SourcedValue[] | undefined {
  const component = componentsOf(version, facts).find((one) => one.name === name)
  const input = inputOf(version, facts)
  return component === undefined || input === undefined ? undefined : renderComponent(component, input).values
}

function componentsOf(version: PlatformVersion, facts: PlatformFacts): readonly Component[] {
  const input = inputOf(version, facts)
  return input === undefined ? [] : wantedComponents(input)
}

function inputOf({ hyperconverged, overrides }: PlatformVersion, facts: PlatformFacts): RenderingInput | undefined {
  return hyperconverged === undefined ? undefined : renderingInputOf({ ...facts, hyperconverged, overrides })
}

function fieldChanges(old: readonly SourcedValue[], next: readonly SourcedValue[]): readonly ComponentFieldChange[] {
  const [before, after] = [objectOf(old), objectOf(next)]
  return changedPaths(before, after).flatMap((path) => {
    const values = [valueAt(before, path), valueAt(after, path)]
    const items = [itemsAt(old, path), itemsAt(next, path)] as const
    const isList = values.every((value) => value === undefined || Array.isArray(value))
    if (!isList || items.every(({ length }) => length === 0))
      return [change(path.join('.'), values, sourceAt(next, path) ?? sourceAt(old, path))]
    const [gone, added] = [without(...items), without(items[1], items[0])]
    const names = [...new Set([...gone, ...added].map(({ value }) => nameOfItem(value)))]
    return names.flatMap((name) => {
      const [from, to] = [gone, added].map((list) => list.find(({ value }) => nameOfItem(value) === name))
      return itemChanges(`${path.join('.')}[${name}]`, from, to)
    })
  })
}

/** An item that is an object is compared field by field. */
function itemChanges(path: string, from: SourcedValue | undefined, to: SourcedValue | undefined): readonly ComponentFieldChange[] {
  const source = to?.source ?? from?.source
  const [old, next] = [from, to].map((item) => (typeof item?.value === 'string' ? true : item?.value))
  if (old === undefined || next === undefined) return [change(path, [old, next], source)]
  return changedPaths(old, next).map((at) => change([path, ...at].join('.'), [valueAt(old, at), valueAt(next, at)], source))
}

function change(
  path: string,
  [old, next]: readonly unknown[],
  source: ValueSource = { kind: 'fixed', why: 'rendered' },
): ComponentFieldChange {
  return { path, ...(old === undefined ? {} : { old }), ...(next === undefined ? {} : { new: next }), source }
}

/** Items that the others do not have. */
function without(items: readonly SourcedValue[], others: readonly SourcedValue[]): readonly SourcedValue[] {
  return items.filter(({ value }) => !others.some((other) => deepEqual(other.value, value)))
}

/** Source of the rendered value at a path, or of the object that holds it. */
function sourceAt(values: readonly SourcedValue[], path: FieldPath): ValueSource | undefined {
  return valuesHolding(values, path).at(-1)?.source
}
