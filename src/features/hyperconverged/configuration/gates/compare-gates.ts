import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { consentsTo } from './consent.ts'
import { defaultOf, featureGateRows, isSwitchable, type FeatureGateRow } from './feature-gates.ts'
import { listedGates } from './read-gates.ts'

/** What a release publishes about a feature gate, for upgrades from and to it. */
export type PublishedGate = Pick<FeatureGateRow, 'name' | 'phase' | 'effect' | 'replacedBy' | 'guests'>

/** The feature gates of this release. */
export const publishedGates: readonly PublishedGate[] = featureGateRows.map(({ name, phase, effect, replacedBy, guests }) => ({
  name,
  phase,
  effect,
  ...(replacedBy === undefined ? {} : { replacedBy }),
  ...(guests === undefined ? {} : { guests }),
}))

/**
 * A gate whose state another release would change.
 *
 *     flips   its default is another one, and in force from the first pass of the release
 *     waits   its default is another one and affects guests: it is in force after consent
 *     ends    it is on, and has no effect any more
 *     locks   it is off, and would always be on
 */
export interface GateChange {
  readonly kind: 'flips' | 'waits' | 'ends' | 'locks'
  readonly name: string
  /** State in the other release, once the change is in force. */
  readonly isOn: boolean
  /** The gate in the release that knows more of it. */
  readonly gate: PublishedGate
}

/** Gates of two releases. */
export interface GateTables {
  /** Of the installed release. Undefined: it is not known. */
  readonly now: readonly PublishedGate[] | undefined
  readonly next: readonly PublishedGate[]
  /** Version of the other release. */
  readonly to: string
}

/**
 * Returns the gates whose state another release would change. A gate that the user has listed stays
 * as it is, unless the other release has no choice. Undefined if neither the object nor the
 * installed release says what the defaults are now. Pure.
 */
export function compareGates(
  hyperconverged: Pick<HyperConverged, 'metadata' | 'spec' | 'status'>,
  { now, next, to }: GateTables,
): readonly GateChange[] | undefined {
  const recorded = hyperconverged.status?.steadyvm?.gateDefaults
  if (recorded === undefined && now === undefined) return undefined
  const defaults = new Map([
    ...(now ?? []).map((gate) => [gate.name, defaultOf(gate)] as const),
    ...(recorded ?? []).map(({ name, state }) => [name, state === 'Enabled'] as const),
  ])
  const listed = new Map(listedGates(hyperconverged.spec?.featureGates).map(({ name, isEnabled }) => [name.toLowerCase(), isEnabled]))
  const isConsented = consentsTo(hyperconverged, to)
  const names = new Set([...defaults.keys(), ...next.map(({ name }) => name)])
  return [...names].flatMap((name): GateChange[] => {
    const [before, after] = [now, next].map((table) => table?.find((gate) => gate.name === name))
    const choice = listed.get(name.toLowerCase())
    const hasChoice = before === undefined ? defaults.has(name) : isSwitchable(before)
    const was = (hasChoice ? choice : undefined) ?? defaults.get(name) ?? false
    const gate = after ?? before ?? { name, phase: 'discontinued', effect: 'none' }
    if (after === undefined || !isSwitchable(after)) {
      const isOn = after !== undefined && defaultOf(after)
      // The former release knows which guests use what ends.
      return was === isOn ? [] : [{ kind: isOn ? 'locks' : 'ends', name, isOn, gate: isOn ? gate : (before ?? gate) }]
    }
    const isOn = defaultOf(after)
    if (choice !== undefined || isConsented || was === isOn) return []
    return [{ kind: after.guests === undefined ? 'flips' : 'waits', name, isOn, gate }]
  })
}
