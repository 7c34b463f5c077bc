import { CommandError } from '../context.ts'
import type { Occurrence } from './occurrence.ts'

/** What `--for` names: an object, or a VM with its guest and migrations. */
export interface Subject {
  readonly kinds: readonly string[]
  readonly name: string
  /** Migrations of this VMI belong to it. */
  readonly migrationsOf?: string
}

const kinds: readonly (readonly [kind: string, names: readonly string[]])[] = [
  ['VirtualMachine', ['vm', 'vms', 'virtualmachine', 'virtualmachines']],
  ['VirtualMachineInstance', ['vmi', 'vmis', 'virtualmachineinstance', 'virtualmachineinstances']],
  ['VirtualMachineInstanceMigration', ['vmim', 'vmims', 'virtualmachineinstancemigration', 'virtualmachineinstancemigrations']],
  ['KubeVirt', ['kv', 'kvs', 'kubevirt', 'kubevirts']],
  ['HyperConverged', ['hco', 'hcos', 'hyperconverged', 'hyperconvergeds']],
]

/** Reads `KIND/NAME`; a name alone is that of a VM. @throws CommandError */
export function parseSubject(text: string): Subject {
  const [first = '', second, ...others] = text.split('/')
  const [argument, name] = second === undefined ? ['vm', first] : [first.toLowerCase().replace(/\..*$/, ''), second]
  const kind = kinds.find(([, names]) => names.includes(argument))?.[0]
  if (kind === undefined || name === '' || others.length > 0)
    throw new CommandError(`--for "${text}" names nothing: write vm/NAME, vmi/NAME, vmim/NAME, kubevirt/NAME or hco/NAME`)
  // They have the name of their VM, and its story is theirs.
  const isVm = kind === 'VirtualMachine' || kind === 'VirtualMachineInstance'
  return isVm ? { kinds: ['VirtualMachine', 'VirtualMachineInstance'], name, migrationsOf: name } : { kinds: [kind], name }
}

/**
 * Reports whether an occurrence is about the subject. `vmiOf`: the VMI of a migration, by its
 * namespace and name. Pure.
 */
export function isAbout(
  { kinds: wanted, name, migrationsOf }: Subject,
  { object }: Occurrence,
  vmiOf: (namespace: string, migration: string) => string | undefined,
): boolean {
  if (wanted.includes(object.kind)) return object.name === name
  return (
    migrationsOf !== undefined && object.kind === 'VirtualMachineInstanceMigration' && vmiOf(object.namespace, object.name) === migrationsOf
  )
}
