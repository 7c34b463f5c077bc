import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { ObjectReference, SwitchTarget } from '#features/plan/index.ts'
import { CommandError } from '../context.ts'

/** Prefixes of a VM. A VMI has the same name as its VM, so it selects the VM. */
const vmPrefix = /^(vms?|vmis?|virtualmachines?|virtualmachineinstances?)(\.kubevirt\.io)?\//i

/**
 * Reads the VM of an argument: `web`, `vm/web`, `vmi/web` or `namespace/web`. @throws CommandError
 */
export function parseVmKey(argument: string, namespace: string): { namespace: string; name: string } {
  const parts = argument.replace(vmPrefix, '').split('/')
  if (parts.length > 2 || parts.some((part) => part === '')) throw new CommandError(`"${argument}" names no VM: write vm/NAME`)
  const [first = '', second] = parts
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second }
}

interface KindArgument {
  readonly family: SwitchTarget['family']
  /** Undefined when the argument does not tell the namespaced from the cluster-wide kind. */
  readonly kind: string | undefined
}

const kinds: readonly (readonly [kind: string, family: SwitchTarget['family'], shortNames: readonly string[]])[] = [
  ['VirtualMachineInstancetype', 'instancetype', ['vminstancetype', 'vminstancetypes', 'vmf', 'vmfs']],
  [
    'VirtualMachineClusterInstancetype',
    'instancetype',
    ['vmclusterinstancetype', 'vmclusterinstancetypes', 'vmcf', 'vmcfs', 'clusterinstancetype'],
  ],
  ['VirtualMachinePreference', 'preference', ['vmpref', 'vmprefs', 'vmp', 'vmps']],
  ['VirtualMachineClusterPreference', 'preference', ['vmcp', 'vmcps', 'clusterpreference']],
]

/**
 * Resolves the name of an instance type or preference resource, in any spelling that kubectl
 * accepts. Returns undefined for other resources.
 */
export function parseHardwareKind(argument: string): KindArgument | undefined {
  const wanted = argument.toLowerCase().replace(/\.instancetype\.kubevirt\.io$/, '')
  if (wanted === 'instancetype' || wanted === 'preference') return { family: wanted, kind: undefined }
  const found = kinds.find(
    ([kind, , shortNames]) => wanted === kind.toLowerCase() || wanted === `${kind.toLowerCase()}s` || shortNames.includes(wanted),
  )
  return found === undefined ? undefined : { family: found[1], kind: found[0] }
}

/**
 * Parses `vm=[kind/]name`. The default is an instance type of the kind that the VM references now.
 * @throws CommandError
 */
export function parseSwitch(text: string, namespace: string): { vm: ObjectKey; to: SwitchTarget } {
  const separator = text.indexOf('=')
  const [vm, target] = [text.slice(0, Math.max(separator, 0)), text.slice(separator + 1)]
  const [first = '', second] = target.split('/')
  const argument = second === undefined ? { family: 'instancetype' as const, kind: undefined } : parseHardwareKind(first)
  const name = second ?? first
  if (separator <= 0 || name === '') throw new CommandError(`Cannot switch "${text}": write VM=NAME or VM=KIND/NAME`)
  if (argument === undefined) throw new CommandError(`Cannot switch "${text}": "${first}" is neither an instance type nor a preference`)
  const { family, kind } = argument
  return { vm: parseVmKey(vm, namespace), to: { family, name, ...(kind === undefined ? {} : { kind }) } }
}

/** Short resource name by kind, for error messages. */
const kindPrefixes: Readonly<Record<string, string>> = {
  VirtualMachine: 'vm',
  VirtualMachineInstancetype: 'vmf',
  VirtualMachineClusterInstancetype: 'vmcf',
  VirtualMachinePreference: 'vmp',
  VirtualMachineClusterPreference: 'vmcp',
}

/** Lists the objects that a name without a kind may refer to. */
export function candidatesOf(name: string, namespace: string): readonly ObjectReference[] {
  return Object.keys(kindPrefixes).map((kind) => ({ kind, name, ...(kind.includes('Cluster') ? {} : { namespace }) }))
}

/** Returns the only existing object of that name. @throws CommandError that lists the candidates */
export function chooseTarget(name: string, namespace: string, existing: readonly ObjectReference[]): ObjectReference {
  const [target, ...others] = existing
  if (target === undefined) {
    throw new CommandError(`No instance type, preference or VM is named "${name}" in namespace "${namespace}" or the cluster`)
  }
  if (others.length === 0) return target
  const choices = existing.map(({ kind }) => `${kindPrefixes[kind] ?? kind}/${name}`)
  throw new CommandError(`Several objects are named "${name}": write ${choices.join(' or ')}`)
}

/** Parses `KIND/NAME` of an instance type, preference or VM. @throws CommandError */
export function parseTarget(text: string, namespace: string): ObjectReference {
  if (vmPrefix.test(text)) return { kind: 'VirtualMachine', ...parseVmKey(text, namespace) }
  const [argument = '', name = '', ...others] = text.split('/')
  const found = parseHardwareKind(argument)
  if (found === undefined || name === '' || others.length > 0) {
    throw new CommandError(`"${text}" names no instance type, preference or VM: write KIND/NAME, such as vmcf/u1.small or vm/web`)
  }
  // The default is the cluster-wide kind, as in a VM's matcher.
  const kind = found.kind ?? (found.family === 'instancetype' ? 'VirtualMachineClusterInstancetype' : 'VirtualMachineClusterPreference')
  return { kind, name, ...(kind.includes('Cluster') ? {} : { namespace }) }
}
