import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { GateDefault } from '#api/hco/v1/status.ts'
import { consentsTo } from './consent.ts'
import { defaultOf, featureGateRows, isSwitchable, type FeatureGateRow } from './feature-gates.ts'
import { listedGates } from './read-gates.ts'

/** A HyperConverged object as it is stored. */
type Stored = Pick<HyperConverged, 'metadata' | 'spec' | 'status'>

/** Gates that were on by default in the releases that did not record their defaults. */
const onBeforeRecords: readonly string[] = ['decentralizedLiveMigration', 'declarativeHotplugVolumes', 'template']

/** A gate whose default affects guests, and was another one before the upgrade. */
interface Flip {
  readonly row: FeatureGateRow
  readonly was: boolean
  /** True if the administrator has consented, or has listed the gate. */
  readonly isSettled: boolean
}

/**
 * Returns the defaults that the cluster had before an upgrade, by the name of the gate, as far as
 * the default of this version affects guests and the administrator has not consented to it. Pure,
 * and derived from what is stored. `version`: version of the operator.
 */
export function keptGatesOf(
  hyperconverged: Stored,
  version: string,
  rows: readonly FeatureGateRow[] = featureGateRows,
): ReadonlyMap<string, boolean> {
  const waiting = flipsOf(hyperconverged, version, rows).filter(({ isSettled }) => !isSettled)
  return new Map(waiting.map(({ row, was }) => [row.name, was]))
}

/**
 * Returns the defaults to be recorded after a pass. A consent is recorded once all components have
 * it: an edit that is rolled back consents to nothing. Pure.
 */
export function recordedDefaults(
  hyperconverged: Stored,
  version: string,
  isApplied: boolean,
  rows: readonly FeatureGateRow[] = featureGateRows,
): GateDefault[] {
  const flips = new Map(flipsOf(hyperconverged, version, rows).map((flip) => [flip.row.name, flip]))
  return rows
    .filter(({ phase }) => phase !== 'discontinued')
    .map((row): GateDefault => {
      const flip = flips.get(row.name)
      if (flip === undefined || (flip.isSettled && isApplied)) return { name: row.name, state: wordOf(defaultOf(row)) }
      return { name: row.name, state: wordOf(flip.was), ...(flip.isSettled ? {} : { pending: wordOf(defaultOf(row)) }) }
    })
}

function flipsOf(hyperconverged: Stored, version: string, rows: readonly FeatureGateRow[]): readonly Flip[] {
  const before = defaultsBefore(hyperconverged, version)
  if (before === undefined) return []
  const listed = new Set(listedGates(hyperconverged.spec?.featureGates).map(({ name }) => name.toLowerCase()))
  const isConsented = consentsTo(hyperconverged, version)
  return rows.flatMap((row): Flip[] => {
    // A feature that the earlier version did not have was not there.
    const was = before.get(row.name) ?? false
    if (row.guests === undefined || !isSwitchable(row) || was === defaultOf(row)) return []
    return [{ row, was, isSettled: isConsented || listed.has(row.name.toLowerCase()) }]
  })
}

/** Defaults that were in force before this pass; undefined for a new object. */
function defaultsBefore({ status }: Stored, version: string): ReadonlyMap<string, boolean> | undefined {
  const recorded = status?.steadyvm?.gateDefaults
  if (recorded !== undefined) return new Map(recorded.map(({ name, state }) => [name, state === 'Enabled']))
  const known = operatorVersionOf({ status })
  return known === undefined || known === version ? undefined : new Map(onBeforeRecords.map((name) => [name, true]))
}

/**
 * Returns the version of the operator that has written the status; undefined for a new object.
 * Pure.
 */
export function operatorVersionOf({ status }: { readonly status?: HyperConverged['status'] | undefined }): string | undefined {
  return status?.versions?.find(({ name }) => name === 'operator')?.version
}

/** Word for a state in the API. Pure. */
export function wordOf(isOn: boolean): 'Enabled' | 'Disabled' {
  return isOn ? 'Enabled' : 'Disabled'
}
