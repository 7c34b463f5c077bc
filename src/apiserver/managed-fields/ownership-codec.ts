import { equalSets, type FieldSet } from '#apimachinery/fields/field-set.ts'
import { decodeFieldsV1, encodeFieldsV1, FieldsV1Error } from '#apimachinery/fields/fields-v1.ts'
import type { ManagedSet, Managers } from '#apimachinery/fields/managers.ts'
import type { ManagedFieldsEntry } from '#apimachinery/meta/object-meta.ts'

/** Fields by manager, with times. */
export interface Ownership {
  readonly managers: Managers
  /** RFC 3339, by manager. */
  readonly times: ReadonlyMap<string, string>
}

/** Key of a managedFields entry. */
export interface ManagerIdentity {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** For updates only: an applier has one set for all versions. */
  readonly apiVersion?: string
  readonly subresource?: string
}

export const noOwnership: Ownership = { managers: new Map(), times: new Map() }

/** Encodes the key as text. */
export function identityOf({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === 'Apply' ? undefined : apiVersion
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(version === undefined ? {} : { apiVersion: version }),
    ...(subresource === undefined || subresource === '' ? {} : { subresource }),
  })
}

/**
 * Cache of identities, cleared when full. Clients that write managedFields can use names of any
 * length, which are not cached.
 */
const identities = new Map<string, ManagerIdentity>()
const mostIdentities = 10_000
const longestIdentity = 1024

/** Decodes the text of {@link identityOf}. */
export function parseIdentity(identity: string): ManagerIdentity {
  let parsed = identities.get(identity)
  if (parsed === undefined) {
    const { manager = '', ...rest } = JSON.parse(identity) as Partial<ManagerIdentity> & Pick<ManagerIdentity, 'operation'>
    parsed = { manager, ...rest }
    if (identity.length > longestIdentity) return parsed
    if (identities.size >= mostIdentities) identities.clear()
    identities.set(identity, parsed)
  }
  return parsed
}

const lastSets = new Map<string, WeakRef<FieldSet>>()

/**
 * Reuses the previous set of a manager when equal: thousands of objects written by one program then
 * share one set, which is encoded once.
 */
function shared(identity: string, fields: FieldSet): FieldSet {
  const last = lastSets.get(identity)?.deref()
  if (last !== undefined && equalSets(last, fields)) return last
  if (identity.length > longestIdentity) return fields
  if (lastSets.size >= mostIdentities) lastSets.clear()
  lastSets.set(identity, new WeakRef(fields))
  return fields
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): { identity: string; set: ManagedSet } {
  const { manager = '', operation, apiVersion = '', subresource, fieldsType = '', fieldsV1 = {} } = entry
  if (operation !== 'Apply' && operation !== 'Update') throw new FieldsV1Error('operation must be `Apply` or `Update`')
  if (apiVersion === '') throw new FieldsV1Error('apiVersion must not be empty')
  if (fieldsType === '') throw new FieldsV1Error(`missing fieldsType in managed fields entry ${index}`)
  if (fieldsType !== 'FieldsV1')
    throw new FieldsV1Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`)
  const identity = identityOf({ manager, operation, apiVersion, ...(subresource === undefined ? {} : { subresource }) })
  return { identity, set: { apiVersion, fields: decodeFieldsV1(fieldsV1), applied: operation === 'Apply' } }
}

const decoded = new WeakMap<readonly ManagedFieldsEntry[], Ownership>()

/** Decodes `metadata.managedFields`. @throws FieldsV1Error when malformed */
export function decodeOwnership(entries: readonly ManagedFieldsEntry[] | undefined): Ownership {
  if (entries === undefined || entries.length === 0) return noOwnership
  const known = decoded.get(entries)
  if (known !== undefined) return known
  const managers = new Map<string, ManagedSet>()
  const times = new Map<string, string>()
  for (const [index, entry] of entries.entries()) {
    const { identity, set } = decodeEntry(entry, index)
    managers.set(identity, set)
    if (entry.time !== undefined) times.set(identity, entry.time)
  }
  const ownership = { managers, times }
  decoded.set(entries, ownership)
  return ownership
}

function encodeEntry(identity: string, { apiVersion, fields, applied }: ManagedSet, time: string | undefined): ManagedFieldsEntry {
  const { manager, operation, subresource } = parseIdentity(identity)
  return {
    ...(manager === '' ? {} : { manager }),
    operation: applied ? 'Apply' : operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFieldsV1(shared(identity, fields)),
    ...(subresource === undefined ? {} : { subresource }),
  }
}

function compareText(a: string = '', b: string = ''): number {
  return a < b ? -1 : Number(a > b)
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  )
}

/**
 * Encodes `metadata.managedFields`: appliers first, then updaters, oldest first. Undefined when
 * empty.
 */
export function encodeOwnership(ownership: Ownership): ManagedFieldsEntry[] | undefined {
  const { managers, times } = ownership
  if (managers.size === 0) return undefined
  const entries = [...managers].map(([identity, set]) => encodeEntry(identity, set, times.get(identity)))
  if (entries.length > 1) entries.sort(compareEntries)
  decoded.set(entries, ownership)
  return entries
}
