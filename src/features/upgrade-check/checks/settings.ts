import { problemsOf } from '#features/cluster-config/index.ts'
import { inNamespace, jsonPatch, mergePatch, type Finding } from '../finding.ts'
import type { FeatureGate } from '../release-facts.ts'
import { currentVersion, kubevirtPlace, releaseOf, type UpgradeWorld } from '../world.ts'

/** What of the KubeVirt object means something else, or nothing, to the new components. */
export function settingsFindings(world: UpgradeWorld): Finding[] {
  return [...gateFindings(world), ...problemFindings(world), ...otherObjects(world)]
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

function gateFindings(world: UpgradeWorld): Finding[] {
  const [now, then] = [releaseOf(world, currentVersion(world))?.featureGates, releaseOf(world, world.to)?.featureGates]
  if (now === undefined || then === undefined) return []
  const developer = world.kubevirt.spec.configuration?.developerConfiguration
  const gates: Gates = { on: developer?.featureGates ?? [], off: developer?.disabledFeatureGates ?? [] }
  return [...new Set([...Object.keys(now), ...Object.keys(then)])].flatMap((name) => {
    const [was, is] = [isOn(now[name], name, gates), isOn(then[name], name, gates)]
    return was === is ? [] : [gateFinding(world, name, is, { gate: then[name], gates })]
  })
}

function gateFinding(
  world: UpgradeWorld,
  name: string,
  is: boolean,
  { gate, gates }: { gate: FeatureGate | undefined; gates: Gates },
): Finding {
  const { object, namespace } = kubevirtPlace(world)
  const without = (list: readonly string[]): string[] => list.filter((each) => each !== name)
  // Where the new release leaves the choice, the choice is to keep what is; where it leaves none,
  // it is to have it now.
  const isChoice = gate !== undefined && gate.locked !== true
  const wanted = isChoice ? !is : is
  const developerConfiguration = {
    featureGates: wanted ? [...without(gates.on), name] : without(gates.on),
    disabledFeatureGates: wanted ? without(gates.off) : isChoice ? [...without(gates.off), name] : without(gates.off),
  }
  return {
    id: is ? 'FeatureGateTurnsOn' : 'FeatureGateTurnsOff',
    severity: is ? 'warning' : 'forceable',
    object: `${object}/${name}`,
    what: `Feature gate ${name} is ${is ? 'off' : 'on'}, and would be ${is ? 'on' : 'off'} in ${world.to}${isChoice ? '' : ' for good'}`,
    why: is ? 'The cluster would do what nobody has asked for' : 'What uses the feature would stop working',
    command: mergePatch(object, namespace, { spec: { configuration: { developerConfiguration } } }),
  }
}

function problemFindings(world: UpgradeWorld): Finding[] {
  const { object, namespace } = kubevirtPlace(world)
  // Annotations that are not understood mean the same to both versions, and those that keep guests
  // from being updated are a finding of their own.
  const problems = problemsOf(world.kubevirt).filter(({ field }) => field.startsWith('spec.'))
  return problems.map(({ field, message }) => ({
    id: 'SettingNotUnderstood',
    severity: 'forceable',
    object: `${object}/${field}`,
    what: `${field} ${message}`,
    why: 'The last good value is in force until its components are replaced; then the default would be',
    command: jsonPatch(object, namespace, [{ op: 'remove', path: `/${field.replaceAll('.', '/')}` }]),
  }))
}

function otherObjects({ kubevirt, kubevirts }: UpgradeWorld): Finding[] {
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
