import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { StatusError, type FieldError, type StatusCause } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { writeComponent, type ComponentWrite } from '../component/write.ts'
import { renderedHash } from '../component/rendered-hash.ts'
import { isOurs, renderedObject } from '../decide.ts'
import type { Observation, ObservedComponent } from '../observe.ts'
import type { SourcedValue } from '../rendering/value-source.ts'

/** Answer of the components to an edit. */
export interface DryRunResult {
  /** Refusals, with the fields of HyperConverged that caused them. */
  readonly errors: readonly FieldError[]
  /** Components that could not be asked, and why. */
  readonly warnings: readonly string[]
}

/** Asks all components about an edit. `old`: undefined for a new object. */
export type DryRun = (hyperconverged: HyperConverged, old: HyperConverged | undefined) => Promise<DryRunResult>

/** Dependencies of {@link createDryRun}. */
export interface DryRunOptions {
  readonly client: Pick<Client, 'patch' | 'delete'>
  /** What the operator would decide from. Undefined: there is nothing to decide. */
  readonly observe: (hyperconverged: HyperConverged) => Observation | undefined
  /** Milliseconds for all components together. */
  readonly timeoutMs?: number
}

/** Leaves time for the request itself: an edit is answered within 3 s. */
const defaultTimeoutMs = 2_500

/**
 * Creates the dry run: every write that an edit would cause is sent to the API server with
 * `dryRun=All`, all at once. Schemas, policies and webhooks of the components decide. A component
 * whose object stays the same is not asked, and one that cannot answer does not block the edit.
 */
export function createDryRun({ client, observe, timeoutMs = defaultTimeoutMs }: DryRunOptions): DryRun {
  return async (hyperconverged, old) => {
    const changes = changesOf(observe(hyperconverged), old === undefined ? undefined : observe(old))
    const signal = AbortSignal.timeout(timeoutMs)
    const results = await Promise.all(
      changes.map(async (change): Promise<DryRunResult> => {
        const { observed, write } = change
        if (write === undefined) return unasked(observed, 'its objects are not known yet')
        try {
          await writeComponent(client, write, { dryRun: true, signal })
          return { errors: [], warnings: [] }
        } catch (error) {
          if (isRefusal(error)) return { errors: refusalsOf(error, change), warnings: [] }
          const why = signal.aborted ? `it did not answer within ${timeoutMs / 1_000} s` : messageOf(error)
          return unasked(observed, why)
        }
      }),
    )
    return { errors: results.flatMap(({ errors }) => errors), warnings: results.flatMap(({ warnings }) => warnings) }
  }
}

/** A component that an edit changes. */
interface Change {
  readonly observed: ObservedComponent
  /** Undefined: its present object is not known. */
  readonly write: ComponentWrite | undefined
  readonly values: readonly SourcedValue[]
  readonly oldValues: readonly SourcedValue[]
}

/** Finds the components whose rendered objects differ. Pure. */
function changesOf(next: Observation | undefined, old: Observation | undefined): readonly Change[] {
  if (next === undefined) return []
  return next.components.flatMap((observed): Change[] => {
    const { component, resource, isKnown, present } = observed
    if (resource === undefined || (present !== undefined && isBeingDeleted(present))) return []
    const isWantedBy = ({ hyperconverged }: Observation): boolean => component.isWanted?.(hyperconverged) ?? true
    const before = old !== undefined && isWantedBy(old) ? renderedObject(observed, old.input) : undefined
    const values = isWantedBy(next) ? renderedObject(observed, next.input) : undefined
    const change = { observed, values: values?.values ?? [], oldValues: before?.values ?? [] }
    if (values === undefined) {
      if (before === undefined || present === undefined || !isOurs(present)) return []
      return [{ ...change, write: { kind: 'remove', resource, object: present } }]
    }
    if (before !== undefined && renderedHash(before.object) === renderedHash(values.object)) return []
    return [{ ...change, write: isKnown ? { kind: 'apply', resource, object: values.object } : undefined }]
  })
}

/** Codes of answers that say nothing about the object. */
const transientCodes: readonly number[] = [404, 408, 409, 429]

/**
 * False for failures of the component's webhook, which the API server answers with 500. It answers
 * so, too, to values that the schema has no place for.
 */
function isRefusal(error: unknown): error is StatusError {
  if (!(error instanceof StatusError)) return false
  return error.code < 500 ? !transientCodes.includes(error.code) : error.message.startsWith('failed to create typed patch object')
}

function unasked({ component: { name, kind } }: ObservedComponent, why: string): DryRunResult {
  const warning = `${name} could not be asked whether its ${kind} may change: ${why}. If it refuses the change later, the status says so`
  return { errors: [], warnings: [warning] }
}

/** Reports the component's own causes, each at the field of HyperConverged that it follows. */
function refusalsOf(error: StatusError, { observed, values, oldValues }: Change): readonly FieldError[] {
  const { name, kind } = observed.component
  const causes = error.status.details?.causes ?? []
  const refuse = (fields: readonly string[], message: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: fields.length === 1 ? (fields[0] ?? 'spec') : 'spec',
    message: `Invalid value: ${name} refuses its ${kind}${fields.length > 1 ? `, after the change of ${fields.join(', ')}` : ''}: ${message}`,
  })
  if (causes.length === 0) return [refuse(changedFields(values, oldValues), error.message)]
  return causes.map((cause) =>
    refuse(fieldsBehind(cause, values, oldValues), [cause.field ?? '', cause.message].filter((part) => part !== '').join(': ')),
  )
}

/** Returns the fields of HyperConverged behind a field of the component, else changed ones. */
function fieldsBehind({ field = '' }: StatusCause, values: readonly SourcedValue[], oldValues: readonly SourcedValue[]): readonly string[] {
  const path = field.split(/[.[\]]+/).filter((key) => key !== '')
  const within = values.filter((value) => startsWith(path, value.path))
  const longest = Math.max(...within.map((value) => value.path.length))
  const exact = within
    .filter((value) => value.path.length === longest)
    .flatMap(({ source, path: { length }, isItem }) => fieldsOf(source, isItem === true ? [] : path.slice(length)))
  if (exact.length > 0) return [...new Set(exact)]
  const isBelow = (value: SourcedValue): boolean => path.length > 0 && startsWith(value.path, path)
  const changed = changedFields(values.filter(isBelow), oldValues.filter(isBelow))
  return changed.length > 0 ? changed : changedFields(values, oldValues)
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key)
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
    case 'default':
      return [`${source.field.startsWith('metadata.') ? '' : 'spec.'}${source.field}${tail}`]
    case 'gate':
      return [`spec.featureGates[${source.gate}]`]
    case 'cluster':
    case 'fixed':
      return []
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
