import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { ObjectReference, SwitchTarget } from '#features/plan/index.ts'
import { CommandError } from '../context.ts'

/** A VMI has the name of its VM, so that it names the VM, too. */
const vmWords = /^(vms?|vmis?|virtualmachines?|virtualmachineinstances?)(\.kubevirt\.io)?\//i

/** Reads the VM of an argument: `web`, `vm/web`, `vmi/web` or `namespace/web`. @throws CommandError */
export function parseVmKey(word: string, namespace: string): { namespace: string; name: string } {
  const parts = word.replace(vmWords, '').split('/')
  if (parts.length > 2 || parts.some((part) => part === '')) throw new CommandError(`"${word}" names no VM: write vm/NAME`)
  const [first = '', second] = parts
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second }
}

interface KindArgument {
  readonly family: SwitchTarget['family']
  /** Undefined when the word leaves open whether the object is the cluster's. */
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
 * What a word for an instance type or preference means, in any spelling that kubectl takes.
 * Undefined for other words.
 */
export function parseHardwareKind(word: string): KindArgument | undefined {
  const wanted = word.toLowerCase().replace(/\.instancetype\.kubevirt\.io$/, '')
  if (wanted === 'instancetype' || wanted === 'preference') return { family: wanted, kind: undefined }
  const found = kinds.find(
    ([kind, , shortNames]) => wanted === kind.toLowerCase() || wanted === `${kind.toLowerCase()}s` || shortNames.includes(wanted),
  )
  return found === undefined ? undefined : { family: found[1], kind: found[0] }
}

/**
 * `vm=[kind/]name`. Without kind it is an instance type of the kind that the VM names now. @throws CommandError
 */
export function parseSwitch(text: string, namespace: string): { vm: ObjectKey; to: SwitchTarget } {
  const separator = text.indexOf('=')
  const [vm, target] = [text.slice(0, Math.max(separator, 0)), text.slice(separator + 1)]
  const [first = '', second] = target.split('/')
  const word = second === undefined ? { family: 'instancetype' as const, kind: undefined } : parseHardwareKind(first)
  const name = second ?? first
  if (separator <= 0 || name === '') throw new CommandError(`Cannot switch "${text}": write VM=NAME or VM=KIND/NAME`)
  if (word === undefined) throw new CommandError(`Cannot switch "${text}": "${first}" is neither an instance type nor a preference`)
  const { family, kind } = word
  return { vm: parseVmKey(vm, namespace), to: { family, name, ...(kind === undefined ? {} : { kind }) } }
}

/** Kinds that a name without a kind may mean, as they are written with one. */
const kindPrefixes: Readonly<Record<string, string>> = {
  VirtualMachine: 'vm',
  VirtualMachineInstancetype: 'vmf',
  VirtualMachineClusterInstancetype: 'vmcf',
  VirtualMachinePreference: 'vmp',
  VirtualMachineClusterPreference: 'vmcp',
}

/** Objects that a name without a kind may mean. */
export function candidatesOf(name: string, namespace: string): readonly ObjectReference[] {
  return Object.keys(kindPrefixes).map((kind) => ({ kind, name, ...(kind.includes('Cluster') ? {} : { namespace }) }))
}

/** Picks the one object of that name that exists. @throws CommandError that lists the choices */
export function chooseTarget(name: string, namespace: string, existing: readonly ObjectReference[]): ObjectReference {
  const [target, ...others] = existing
  if (target === undefined) {
    throw new CommandError(`No instance type, preference or VM is named "${name}" in namespace "${namespace}" or the cluster`)
  }
  if (others.length === 0) return target
  const choices = existing.map(({ kind }) => `${kindPrefixes[kind] ?? kind}/${name}`)
  throw new CommandError(`Several objects are named "${name}": write ${choices.join(' or ')}`)
}

/**
 * The object that `KIND/NAME` means: an instance type, a preference or a VM. @throws CommandError
 */
export function parseTarget(text: string, namespace: string): ObjectReference {
  if (vmWords.test(text)) return { kind: 'VirtualMachine', ...parseVmKey(text, namespace) }
  const [word = '', name = '', ...others] = text.split('/')
  const found = parseHardwareKind(word)
  if (found === undefined || name === '' || others.length > 0) {
    throw new CommandError(`"${text}" names no instance type, preference or VM: write KIND/NAME, such as vmcf/u1.small or vm/web`)
  }
  // Without a word about the scope it is the cluster's, as in a VM.
  const kind = found.kind ?? (found.family === 'instancetype' ? 'VirtualMachineClusterInstancetype' : 'VirtualMachineClusterPreference')
  return { kind, name, ...(kind.includes('Cluster') ? {} : { namespace }) }
}
