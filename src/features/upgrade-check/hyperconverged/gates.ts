import { usedFields } from '#api/usage/used-fields.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { compareGates, hyperConvergedKey, operatorVersionOf, type GateChange } from '#features/hyperconverged/index.ts'
import { mergePatch, type Finding } from '../finding.ts'
import { guestObject, runningGuests } from '../guest-update.ts'
import { hyperConvergedOf, releaseOf, type UpgradeInventory } from '../inventory.ts'

const { namespace, name: objectName } = hyperConvergedKey
const object = `hco/${objectName}`

/** Finds feature gates of HyperConverged whose state the new release changes, and their guests. */
export function hyperConvergedGateFindings(inventory: UpgradeInventory): Finding[] {
  const hyperconverged = hyperConvergedOf(inventory)
  const next = releaseOf(inventory, inventory.to)?.hyperConvergedGates
  if (hyperconverged === undefined || next === undefined) return []
  const now = releaseOf(inventory, operatorVersionOf(hyperconverged))?.hyperConvergedGates
  const changes = compareGates(hyperconverged, { now, next, to: inventory.to }) ?? []
  return changes.map((change) => gateFinding(inventory, hyperconverged, change))
}

/** Says what is not known of the gates of two releases. */
export function gapsOfGates(inventory: Pick<UpgradeInventory, 'releases' | 'to' | 'hyperconvergeds'>): readonly string[] {
  const hyperconverged = hyperConvergedOf(inventory)
  const release = releaseOf(inventory, inventory.to)
  if (hyperconverged === undefined || release === undefined) return []
  const installed = operatorVersionOf(hyperconverged)
  const isNew = installed === undefined
  const isKnown =
    hyperconverged.status?.steadyvm?.gateDefaults !== undefined || releaseOf(inventory, installed)?.hyperConvergedGates !== undefined
  const unknown = [
    ...(release.hyperConvergedGates === undefined ? [inventory.to] : []),
    ...(isNew || isKnown ? [] : [`${installed}, which is installed`]),
  ]
  return unknown.map((version) => `nothing is known of HyperConverged's feature gates in ${version}: those that change are not seen`)
}

type Text = Pick<Finding, 'id' | 'severity' | 'why'> & { readonly future: string }

/** What the new release does to a gate. */
function textOf({ kind, gate, isOn }: GateChange, to: string): Text {
  const instead = gate.replacedBy === undefined ? '' : `; spec.${gate.replacedBy} replaces it`
  switch (kind) {
    case 'waits':
      return {
        id: 'GateWaitsForConsent',
        severity: 'warning',
        future: `is ${isOn ? 'on' : 'off'} by default in ${to}, where it stays as it is until it is consented to`,
        why: 'Guests would behave differently after the consent; a gate that is listed is decided',
      }
    case 'flips':
      return {
        id: 'GateDefaultFlips',
        severity: 'warning',
        future: `would be ${isOn ? 'on' : 'off'} by default in ${to}`,
        why: isOn ? 'The cluster would do what was not asked for' : 'What uses the feature would stop working',
      }
    case 'ends':
      return {
        id: 'GateEnds',
        severity: 'forceable',
        future: `has no effect in ${to}${instead}`,
        why: 'What uses the feature would stop working',
      }
    case 'locks':
      return {
        id: 'GateAlwaysOn',
        severity: gate.guests === undefined ? 'warning' : 'forceable',
        future: `would be on for good in ${to}`,
        why: 'The cluster would do what was not asked for, and no consent is waited for, since there is no choice',
      }
  }
}

function gateFinding(inventory: UpgradeInventory, hyperconverged: HyperConverged, change: GateChange): Finding {
  const { kind, name, gate, isOn } = change
  const { future, ...text } = textOf(change, inventory.to)
  // Keeps the state where the new release has the gate, and applies the new one before the upgrade
  // where it has no choice.
  const wanted = kind === 'waits' || kind === 'flips' ? !isOn : isOn
  return {
    ...text,
    object: `${object}/${name}`,
    what: `Feature gate ${name} of HyperConverged (${gate.effect}) is ${isOn ? 'off' : 'on'}, and ${future}${guestsOf(inventory, change)}`,
    command: mergePatch(object, namespace, { spec: { featureGates: [...otherGates(hyperconverged, name), gateItem(name, wanted)] } }),
  }
}

function gateItem(name: string, isEnabled: boolean): object {
  return { name, state: isEnabled ? 'Enabled' : 'Disabled' }
}

function otherGates({ spec }: HyperConverged, name: string): readonly object[] {
  return (spec?.featureGates ?? []).filter((one) => one.name.toLowerCase() !== name.toLowerCase())
}

const namedGuests = 5

/** Names the running guests that a gate affects. */
function guestsOf(inventory: UpgradeInventory, { gate: { guests } }: GateChange): string {
  if (guests === undefined) return ''
  const found = runningGuests(inventory).filter((guest) => usedFields(guest, guests.fields).length > 0)
  const names = found.slice(0, namedGuests).map(guestObject)
  const more = found.length > names.length ? ` and ${found.length - names.length} more` : ''
  return `. It affects ${guests.which}, ${found.length === 0 ? 'of which none runs' : `of which ${found.length} run: ${names.join(', ')}${more}`}`
}
