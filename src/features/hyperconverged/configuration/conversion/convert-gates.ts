import { deepEqual } from '#apimachinery/equality.ts'
import type { FeatureGate } from '#api/hco/v1/hyperconverged.ts'
import { findGate } from '../gates/feature-gates.ts'
import { listedGates, type ListedGate } from '../gates/read-gates.ts'

/** Gates of a version that another one cannot express. */
export interface GateLeftover {
  /** Gates of the version that has them, as stored. */
  readonly value?: unknown
  /** Gates that they were converted to. */
  readonly seen?: unknown
}

/** Converts the gates that v1beta1 has to its object; undefined for none. Pure. */
export function gatesToV1beta1(value: unknown): unknown {
  const entries = listedGates(value).flatMap(({ name, isEnabled }): [string, boolean][] => {
    const row = findGate(name)
    return row === undefined || row.isInV1beta1 === false ? [] : [[row.name, isEnabled]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Converts the gates that have an effect to the list of v1; undefined for none. Pure. */
export function gatesToV1(value: unknown): unknown {
  const list = listedGates(value).flatMap(({ name, isEnabled }): FeatureGate[] => {
    const row = findGate(name)
    return row === undefined || row.phase === 'discontinued' ? [] : [gateOf(row.name, isEnabled)]
  })
  return list.length === 0 ? undefined : list
}

function gateOf(name: string, isEnabled: boolean): FeatureGate {
  return { name, state: isEnabled ? 'Enabled' : 'Disabled' }
}

/** Returns what is lost when gates are converted; undefined for nothing. Pure. */
export function gateLeftoverOf(original: unknown, converted: unknown, back: unknown): GateLeftover | undefined {
  if (deepEqual(original, back)) return undefined
  return { ...(original === undefined ? {} : { value: original }), ...(converted === undefined ? {} : { seen: converted }) }
}

/**
 * Restores gates from before a conversion, with the changes that were made after it. `now`: gates
 * in the version that was converted to; `shape`: that of the version that is restored. Pure.
 */
export function restoreGates({ value, seen }: GateLeftover, now: unknown, shape: 'list' | 'object'): unknown {
  if (deepEqual(seen, now)) return value
  const [before, after] = [byName(seen), byName(now)]
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key)?.isEnabled !== after.get(key)?.isEnabled,
  )
  const all = new Map(byName(value))
  for (const key of changed) {
    const gate = after.get(key)
    if (gate === undefined) all.delete(key)
    else if (all.has(key) || isExpressible(gate.name, shape)) all.set(key, { ...gate, name: all.get(key)?.name ?? gate.name })
  }
  const gates = [...all.values()]
  if (gates.length === 0) return undefined
  return shape === 'list'
    ? gates.map(({ name, isEnabled }) => gateOf(name, isEnabled))
    : Object.fromEntries(gates.map(({ name, isEnabled }) => [name, isEnabled]))
}

/** Reports whether a version has a gate with an effect. */
function isExpressible(name: string, shape: 'list' | 'object'): boolean {
  const row = findGate(name)
  return row !== undefined && (shape === 'list' ? row.phase !== 'discontinued' : row.isInV1beta1 !== false)
}

function byName(value: unknown): ReadonlyMap<string, ListedGate> {
  return new Map(listedGates(value).map((gate) => [gate.name.toLowerCase(), gate]))
}
