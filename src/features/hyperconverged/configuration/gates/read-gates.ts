import { isJsonObject } from '#apimachinery/own-property.ts'
import { defaultOf, featureGateRows, findGate, isSwitchable, type FeatureGateRow } from './feature-gates.ts'

/** State of a feature gate, and its reason. */
export interface GateState {
  readonly row: FeatureGateRow
  readonly isOn: boolean
  /**
   * `user`: the object says so; `phase`: the default of the phase; `kept`: the default of an
   * earlier version, until the administrator consents to that of this one.
   */
  readonly because: 'user' | 'phase' | 'kept'
}

/** One gate as an object lists it. */
export interface ListedGate {
  readonly name: string
  readonly isEnabled: boolean
}

/**
 * Reads the feature gates of a spec in every shape that was ever stored: the list of v1, with or
 * without states, and the object of v1beta1, also an empty one below v1. Pure.
 */
export function listedGates(value: unknown): readonly ListedGate[] {
  if (Array.isArray(value))
    return value.flatMap((item: unknown) => {
      if (typeof item === 'string') return [{ name: item, isEnabled: true }]
      if (!isJsonObject(item) || typeof item['name'] !== 'string') return []
      return [{ name: item['name'], isEnabled: item['state'] !== 'Disabled' }]
    })
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, isEnabled]) => (typeof isEnabled === 'boolean' ? [{ name, isEnabled }] : []))
}

/**
 * Returns the state of every gate by name. Gates without effect ignore the object. `kept`: defaults
 * of an earlier version by name. Pure.
 */
export function readGates(value: unknown, kept: ReadonlyMap<string, boolean> = new Map()): ReadonlyMap<string, GateState> {
  const listed = new Map(listedGates(value).map(({ name, isEnabled }) => [name.toLowerCase(), isEnabled]))
  return new Map(featureGateRows.map((row) => [row.name, stateOf(row, listed.get(row.name.toLowerCase()), kept.get(row.name))]))
}

function stateOf(row: FeatureGateRow, listed: boolean | undefined, kept: boolean | undefined): GateState {
  if (!isSwitchable(row)) return { row, isOn: defaultOf(row), because: 'phase' }
  if (listed !== undefined) return { row, isOn: listed, because: 'user' }
  return kept === undefined ? { row, isOn: defaultOf(row), because: 'phase' } : { row, isOn: kept, because: 'kept' }
}

/** Returns warnings about listed gates that are unknown, without effect or to be replaced. Pure. */
export function gateWarnings(value: unknown): readonly string[] {
  return listedGates(value).flatMap(({ name }) => {
    const row = findGate(name)
    const field = `spec.featureGates[${name}]`
    if (row === undefined) return [`${field} is no feature gate, and has no effect`]
    const instead = row.replacedBy === undefined ? '' : `: use spec.${row.replacedBy}`
    if (row.phase === 'GA') return [`${field} has no effect: the feature is always on`]
    if (row.phase === 'discontinued') return [`${field} has no effect any more${instead}`]
    return row.phase === 'deprecated' ? [`${field} is deprecated${instead}`] : []
  })
}
