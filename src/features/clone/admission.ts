import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineClone } from '#api/clone/v1beta1/virtual-machine-clone.ts'
import { validatePatches, validateTargetName } from '#features/snapshot/index.ts'
import { compileFilter } from './patches.ts'

/**
 * Validates a clone. KubeVirt's rules; errors that would occur during the work are reported at
 * once.
 */
export function validateClone(clone: VirtualMachineClone, old: VirtualMachineClone | undefined): StatusCause[] {
  const { spec } = clone
  if (old !== undefined) return semanticEqual(spec, old.spec) ? [] : [invalid('spec', 'spec in immutable after creation')]
  return [
    ...validateSource(clone),
    ...validateTarget(clone),
    ...validateFilters(clone),
    ...validateAddresses(clone),
    ...validatePatches(spec.patches),
  ]
}

const groups: Readonly<Record<string, string>> = { VirtualMachine: 'kubevirt.io', VirtualMachineSnapshot: 'snapshot.kubevirt.io' }

function validateSource({ spec: { source } }: VirtualMachineClone): StatusCause[] {
  if (!Object.hasOwn(groups, source.kind)) return [invalid('spec.source.kind', `Source kind is not supported: ${source.kind}`)]
  if (source.apiGroup !== groups[source.kind]) return [invalid('spec.source.apiGroup', `Source apiGroup must be ${groups[source.kind]}`)]
  return source.name === '' ? [invalid('spec.source.name', "Source's name cannot be empty")] : []
}

function validateTarget({ spec: { source, target } }: VirtualMachineClone): StatusCause[] {
  if (target === undefined) return []
  if (target.kind !== 'VirtualMachine' || target.apiGroup !== 'kubevirt.io')
    return [invalid('spec.target.kind', 'Target must be a VirtualMachine of kubevirt.io')]
  // One that is empty is chosen.
  if (target.name !== '' && target.name !== source.name) return validateTargetName(target.name, 'spec.target.name')
  if (source.kind !== 'VirtualMachine' || source.name !== target.name) return []
  return [invalid('spec.target.name', 'Target name cannot be equal to source name when both are VirtualMachines')]
}

function validateFilters({ spec }: VirtualMachineClone): StatusCause[] {
  const lists = {
    'spec.labelFilters': spec.labelFilters,
    'spec.annotationFilters': spec.annotationFilters,
    'spec.template.labelFilters': spec.template?.labelFilters,
    'spec.template.annotationFilters': spec.template?.annotationFilters,
  }
  return Object.entries(lists).flatMap(([field, filters]) =>
    (filters ?? []).flatMap((filter, index) =>
      isFilter(filter) ? [] : [invalid(`${field}[${index}]`, `"${filter}" is not a regular expression`)],
    ),
  )
}

function isFilter(filter: string): boolean {
  try {
    compileFilter(filter.startsWith('!') ? filter.slice(1) : filter)
    return true
  } catch {
    return false
  }
}

function validateAddresses({ spec }: VirtualMachineClone): StatusCause[] {
  return Object.entries(spec.newMacAddresses ?? {})
    .filter(([, address]) => address !== '' && !/^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i.test(address))
    .map(([name, address]) => invalid(`spec.newMacAddresses.${name}`, `interface ${name} has malformed MAC address (${address}).`))
}

function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}
