import { problemsOf } from '#features/cluster-config/index.ts'
import { inNamespace, jsonPatch, mergePatch, type Finding } from '../finding.ts'
import type { FeatureGate } from '../release-facts.ts'
import { currentVersion, kubevirtPlace, releaseOf, type UpgradeInventory } from '../inventory.ts'

/**
 * Finds settings of the KubeVirt object that the new release ignores or understands differently.
 */
export function settingsFindings(inventory: UpgradeInventory): Finding[] {
  return [...gateFindings(inventory), ...problemFindings(inventory), ...otherObjects(inventory)]
}

interface Gates {
  readonly on: readonly string[]
  readonly off: readonly string[]
}

function isOn(gate: FeatureGate | undefined, name: string, { on, off }: Gates): boolean {
  if (gate === undefined) return false
  if (gate.locked === true) return gate.default
  return off.includes(name) ? false : on.includes(name) || gate.default
}

function gateFindings(inventory: UpgradeInventory): Finding[] {
  const [now, then] = [releaseOf(inventory, currentVersion(inventory))?.featureGates, releaseOf(inventory, inventory.to)?.featureGates]
  if (now === undefined || then === undefined) return []
  const developer = inventory.kubevirt.spec.configuration?.developerConfiguration
  const gates: Gates = { on: developer?.featureGates ?? [], off: developer?.disabledFeatureGates ?? [] }
  const changing = [...new Set([...Object.keys(now), ...Object.keys(then)])].flatMap((name) => {
    const [was, is] = [isOn(now[name], name, gates), isOn(then[name], name, gates)]
    return was === is ? [] : [{ name, is, gate: then[name] }]
  })
  // A patch replaces the lists: each contains the entries of the ones before it, so that running
  // all commands resolves all findings. Those that block come first, as in the report.
  let wanted = gates
  return changing
    .toSorted((a, b) => Number(a.is) - Number(b.is))
    .map((change) => {
      wanted = withChoice(wanted, change)
      return gateFinding(inventory, change, wanted)
    })
}

interface GateChange {
  readonly name: string
  /** Whether the new release switches it on. */
  readonly is: boolean
  /** The gate in the new release. */
  readonly gate: FeatureGate | undefined
}

function isSelectable({ gate }: GateChange): boolean {
  return gate !== undefined && gate.locked !== true
}

/**
 * Keeps the current behaviour where the new release has the gate, and applies the new one before
 * the upgrade where it does not.
 */
function withChoice({ on, off }: Gates, change: GateChange): Gates {
  const without = (list: readonly string[]): string[] => list.filter((each) => each !== change.name)
  const isWanted = isSelectable(change) ? !change.is : change.is
  if (isWanted) return { on: [...without(on), change.name], off: without(off) }
  return { on: without(on), off: isSelectable(change) ? [...without(off), change.name] : without(off) }
}

function gateFinding(inventory: UpgradeInventory, change: GateChange, { on, off }: Gates): Finding {
  const { object, namespace } = kubevirtPlace(inventory)
  const { name, is } = change
  const developerConfiguration = { featureGates: on, disabledFeatureGates: off }
  return {
    id: is ? 'FeatureGateTurnsOn' : 'FeatureGateTurnsOff',
    severity: is ? 'warning' : 'forceable',
    object: `${object}/${name}`,
    what: `Feature gate ${name} is ${is ? 'off' : 'on'}, and would be ${is ? 'on' : 'off'} in ${inventory.to}${isSelectable(change) ? '' : ' for good'}`,
    why: is ? 'The cluster would do what was not requested' : 'What uses the feature would stop working',
    command: mergePatch(object, namespace, { spec: { configuration: { developerConfiguration } } }),
  }
}

function problemFindings(inventory: UpgradeInventory): Finding[] {
  const { object, namespace } = kubevirtPlace(inventory)
  // Invalid annotations mean the same to both versions, and those about updates of guests are
  // findings of their own.
  const problems = problemsOf(inventory.kubevirt).filter(({ field }) => field.startsWith('spec.'))
  return problems.map(({ field, message }) => ({
    id: 'SettingNotUnderstood',
    severity: 'forceable',
    object: `${object}/${field}`,
    what: `${field} ${message}`,
    why: 'The last good value is in force until its components are replaced; then the default would be',
    command: jsonPatch(object, namespace, [{ op: 'remove', path: `/${field.replaceAll('.', '/')}` }]),
  }))
}

function otherObjects({ kubevirt, kubevirts }: UpgradeInventory): Finding[] {
  return kubevirts
    .filter(({ metadata }) => metadata.uid !== kubevirt.metadata.uid)
    .map(({ metadata: { name = '', namespace = '' } }) => ({
      id: 'KubeVirtNotUnique',
      severity: 'warning',
      object: `kubevirt/${namespace}/${name}`,
      what: `There is a second KubeVirt object, ${namespace}/${name}`,
      why: 'Nobody acts on it: a version that is asked for there never comes',
      command: `kubectl delete kubevirt/${name}${inNamespace(namespace)}`,
    }))
}
