import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isNotFound, type FieldError, type StatusCause, type StatusError } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { writeComponent } from '../components/objects/write.ts'
import { decide, isWrite, type WriteStep } from '../reconcile/decide.ts'
import type { ComponentObject, Observation, ObservedComponent } from '../reconcile/observe.ts'
import { isRefusal } from '../lifecycle/rollback/refusal.ts'
import { renderComponent } from '../configuration/overrides/render-component.ts'
import { refusalOf } from './admit-override.ts'
import { fieldOfOverride, type OverrideProblem } from '../configuration/overrides/override.ts'
import { pathOf, valuesHolding, type SourcedValue } from '../components/rendering/value-source.ts'
import { startsWith } from '../value-at.ts'
import { tracing } from '#runtime/tracing/tracing.ts'

/** Answer of the components to an edit. */
export interface DryRunResult {
  /** Refusals, with the fields of HyperConverged that caused them. */
  readonly errors: readonly FieldError[]
  /** Components that could not be asked, and why. */
  readonly warnings: readonly string[]
}

/** Asks all components about edits. `old`: undefined for a new object. */
export interface DryRun {
  hyperconverged(edited: HyperConverged, old: HyperConverged | undefined): Promise<DryRunResult>
  /** Refusals of what the override itself changes name the field `spec.patch`. */
  override(edited: ComponentOverride, old: ComponentOverride | undefined): Promise<DryRunResult>
}

/** Dependencies of {@link createDryRun}. */
export interface DryRunOptions {
  readonly client: Pick<Client, 'patch' | 'delete'>
  /** What the operator would decide from; without `overrides`, from those that are stored. */
  readonly observe: (hyperconverged: HyperConverged, overrides?: readonly ComponentOverride[]) => Observation
  /** The stored HyperConverged object. */
  readonly hyperconverged: () => HyperConverged | undefined
  /** The stored overrides. */
  readonly overrides: () => readonly ComponentOverride[]
}

/** Milliseconds for all components together. Leaves time for an answer to the edit within 3 s. */
const timeoutMs = 2_500

const nothing: DryRunResult = { errors: [], warnings: [] }

/**
 * Creates the dry run: every write that an edit would cause is sent to the API server with
 * `dryRun=All`, all at once. Schemas, policies and webhooks of the components decide. A component
 * whose object stays the same is not asked, and one that cannot answer does not block the edit.
 */
export function createDryRun({ client, observe, hyperconverged, overrides }: DryRunOptions): DryRun {
  return {
    async hyperconverged(edited, old) {
      // The operator does not act on an object that is being deleted.
      if (isBeingDeleted(edited)) return nothing
      return askComponents(client, observe(edited), old === undefined ? undefined : observe(old))
    },
    async override(edited, old) {
      const platform = hyperconverged()
      if (platform === undefined || isBeingDeleted(platform)) return nothing
      const { name } = edited.metadata
      const others = overrides().filter(({ metadata }) => metadata.name !== name)
      const before = old === undefined ? others : [...others, old]
      const next = observe(platform, [...others, edited])
      const problem = problemOf(edited, next)
      if (problem !== undefined) return { errors: [refusalOf(problem)], warnings: [] }
      const { errors, warnings } = await askComponents(client, next, observe(platform, before))
      const own = fieldOfOverride({ kind: 'object', name: name ?? '', owner: '', reason: '' })
      return {
        errors: errors.map((error) => (error.field === own || error.field === 'spec' ? { ...error, field: 'spec.patch' } : error)),
        warnings,
      }
    },
  }
}

/** Reason why an override cannot be applied to what is rendered now. */
function problemOf({ metadata, spec }: ComponentOverride, { components, input }: Observation): OverrideProblem | undefined {
  const component = components.find(({ component: { name } }) => name === spec.component)?.component
  const results = component === undefined ? [] : renderComponent(component, input).overrides
  return results.find(({ override: { source } }) => source.kind === 'object' && source.name === metadata.name)?.problem
}

async function askComponents(
  client: Pick<Client, 'patch' | 'delete'>,
  next: Observation,
  old: Observation | undefined,
): Promise<DryRunResult> {
  const signal = AbortSignal.timeout(timeoutMs)
  const results = await Promise.all(
    changesOf(next, old).map(async (change): Promise<DryRunResult> => {
      const { observed, write, absence } = change
      if (absence !== undefined) return { errors: [], warnings: [`${observed.component.name} is not deployed: ${absence}`] }
      if (write === undefined) return unasked(observed, 'its objects are not known yet')
      try {
        const { name } = observed.component
        await tracing().span('dry run', { 'steadyvm.component': name }, () =>
          writeComponent(client, write.resource, write.step, { dryRun: true, signal }),
        )
        return nothing
      } catch (error) {
        // The operator creates the namespace, and a dry run cannot.
        if (isNotFound(error) && observed.component.createsNamespace === true) return nothing
        if (isRefusal(error)) return { errors: refusalsOf(error, change), warnings: [] }
        const why = signal.aborted
          ? `it did not answer within ${timeoutMs / 1_000} s`
          : String(error instanceof Error ? error.message : error)
        return unasked(observed, why)
      }
    }),
  )
  return { errors: results.flatMap(({ errors }) => errors), warnings: results.flatMap(({ warnings }) => warnings) }
}

/** A component that an edit changes, and the observations with and without the edit. */
interface Change {
  /** Reason why the component will be absent although the edit asks for it. */
  readonly absence?: string
  readonly observed: ObservedComponent
  /** Undefined: its objects are not known yet. */
  readonly write: { readonly resource: ResourceType<ComponentObject>; readonly step: WriteStep } | undefined
  readonly next: Observation
  readonly old: Observation | undefined
}

/** Finds the writes that the operator would decide on, and would not without the edit. Pure. */
function changesOf(next: Observation, old: Observation | undefined): readonly Change[] {
  const before = new Map((old === undefined ? [] : decide(old)).map((decision) => [decision.observed.component.name, decision.step]))
  return decide(next).flatMap(({ observed, step }): Change[] => {
    const { resource, isKnown, component } = observed
    const { absence } = component
    // The defaults ask for some that nothing depends on.
    const isAsked = absence !== undefined && !deepEqual(step, before.get(component.name)) && component.isRequested === true
    if (absence !== undefined) return isAsked ? [{ absence, observed, next, old, write: undefined }] : []
    if (resource === undefined) return []
    const change = { observed, next, old }
    if (isWrite(step)) return deepEqual(step, before.get(component.name)) ? [] : [{ ...change, write: { resource, step } }]
    const isUndecided = !isKnown && !deepEqual(valuesOf(observed, next), valuesOf(observed, old))
    return isUndecided ? [{ ...change, write: undefined }] : []
  })
}

function valuesOf({ component }: ObservedComponent, observation: Observation | undefined): readonly SourcedValue[] {
  return observation === undefined ? [] : renderComponent(component, observation.input).values
}

function unasked({ component: { name, kind } }: ObservedComponent, why: string): DryRunResult {
  const warning = `${name} could not be asked whether its ${kind} may change: ${why}. If it refuses the change later, the status says so`
  return { errors: [], warnings: [warning] }
}

/** Reports the component's own causes, each at the field of HyperConverged that it follows. */
function refusalsOf(error: StatusError, { observed, write, next, old }: Change): readonly FieldError[] {
  const { name, kind, switchedBy } = observed.component
  const [values, oldValues] = [valuesOf(observed, next), valuesOf(observed, old)]
  const causes = causesOf(error)
  const refuse = (fields: readonly string[], message: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: fields.length === 1 ? (fields[0] ?? 'spec') : 'spec',
    message: `Invalid value: ${name} refuses its ${kind}${fields.length > 1 ? `, after the change of ${fields.join(', ')}` : ''}: ${message}`,
  })
  if (write?.step.kind === 'remove' && switchedBy !== undefined)
    return [{ ...refuse([], `it cannot be removed: ${error.message}`), field: `spec.${switchedBy}` }]
  if (causes.length === 0) return [refuse(changedFields(values, oldValues), error.message)]
  return causes.map((cause) =>
    refuse(fieldsBehind(cause, values, oldValues), [cause.field ?? '', cause.message].filter((part) => part !== '').join(': ')),
  )
}

/**
 * Returns the causes of a refusal. A value that the schema has no place for is refused without
 * causes, and the message names its path.
 */
function causesOf({ message, status }: StatusError): readonly StatusCause[] {
  const causes = status.details?.causes ?? []
  const [, path, why] = /^failed to create typed patch object .*?: \.(spec[^\s:]*): ([^]*)$/.exec(message) ?? []
  return causes.length > 0 || path === undefined || why === undefined
    ? causes
    : [{ reason: 'FieldValueTypeInvalid', field: path, message: why }]
}

/** Returns the fields of HyperConverged behind a field of the component, else changed ones. */
function fieldsBehind({ field = '' }: StatusCause, values: readonly SourcedValue[], oldValues: readonly SourcedValue[]): readonly string[] {
  const path = field.split(/[.[\]]+/).filter((key) => key !== '')
  const holding = valuesHolding(values, path)
  // The index of a refused item: an object that is an item has a source of its own.
  const item = holding[Number(path[holding[0]?.path.length ?? 0])]
  const exact =
    item?.isItem === true && typeof item.value === 'object'
      ? fieldsOf(item.source, path.slice(item.path.length + 1))
      : holding.flatMap(({ source, path: { length }, isItem }) => fieldsOf(source, isItem === true ? [] : path.slice(length)))
  if (exact.length > 0) return [...new Set(exact)]
  const isBelow = (value: SourcedValue): boolean => path.length > 0 && startsWith(value.path, path)
  const changed = changedFields(values.filter(isBelow), oldValues.filter(isBelow))
  return changed.length > 0 ? changed : changedFields(values, oldValues)
}

/** Fields with another value than before, and those that are gone. */
function changedFields(values: readonly SourcedValue[], oldValues: readonly SourcedValue[]): readonly string[] {
  const isIn = (list: readonly SourcedValue[], { path, value }: SourcedValue): boolean =>
    list.some((other) => deepEqual(other.path, path) && deepEqual(other.value, value))
  const changed = [...values.filter((value) => !isIn(oldValues, value)), ...oldValues.filter((value) => !isIn(values, value))]
  return [...new Set(changed.flatMap(({ source }) => fieldsOf(source, [])))]
}

function fieldsOf(source: SourcedValue['source'], rest: readonly string[]): readonly string[] {
  const tail = rest.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('')
  switch (source.kind) {
    case 'user':
    case 'patch':
    case 'default':
      return [`${pathOf(source.field)}${tail}`]
    case 'gate':
      return [`spec.featureGates[${source.gate}]`]
    case 'override':
      return [fieldOfOverride(source.override)]
    case 'cluster':
    case 'fixed':
      return []
  }
}
