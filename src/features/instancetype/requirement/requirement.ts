import type { StatusCause } from '#apimachinery/errors.ts'
import { canonicalQuantity, compareQuantities, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { CPU } from '#api/kubevirt/v1/domain/cpu.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { preferredTopology, spreadOptionsOf } from '../cpu-topology.ts'
import { templateSpecPath } from '../conflict.ts'

/** An unmet requirement, with the field that should satisfy it. */
export interface UnmetRequirement {
  readonly fields: readonly string[]
  readonly message: string
}

/** Parts of a VM that requirements are checked against. `spec` is the template's with defaults. */
export interface Provided {
  readonly spec: VirtualMachineInstanceSpec
  readonly instancetype: VirtualMachineInstancetypeSpec | undefined
}

const domainPath = `${templateSpecPath}.domain`

/** Returns the first unmet requirement of a preference: CPU, memory, then architecture. */
export function findUnmetRequirement(provided: Provided, preference: VirtualMachinePreferenceSpec): UnmetRequirement | undefined {
  return unmetCpu(provided, preference) ?? unmetMemory(provided, preference) ?? unmetArchitecture(provided, preference)
}

/** Returns an unmet requirement as a status cause. */
export function requirementCause(unmet: UnmetRequirement): StatusCause {
  return {
    reason: 'FieldValueNotFound',
    message: `failure checking preference requirements: ${unmet.message}`,
    field: unmet.fields.join(', '),
  }
}

function unmetCpu({ spec, instancetype }: Provided, preference: VirtualMachinePreferenceSpec): UnmetRequirement | undefined {
  const required = preference.requirements?.cpu?.guest
  if (required === undefined) return undefined
  if (instancetype !== undefined) {
    const provided = instancetype.cpu.guest
    const message = `insufficient CPU resources of ${provided} vCPU provided by instance type, preference requires ${required} vCPU`
    return provided < required ? { fields: ['spec.instancetype'], message } : undefined
  }
  const { cpu } = spec.domain
  if (cpu === undefined) {
    const message = `no CPU resources provided by VirtualMachine, preference requires ${required} vCPU`
    return { fields: [`${domainPath}.cpu`], message }
  }
  const { axes, label } = requiredAxes(preference)
  const provided = axes.reduce((product, axis) => product * (cpu[axis] || 1), 1)
  if (provided >= required) return undefined
  const message = `insufficient CPU resources of ${provided} vCPU provided by VirtualMachine, preference requires ${required} vCPU provided as ${label}`
  return { fields: axes.map((axis) => `${domainPath}.cpu.${axis}`), message }
}

type Axis = keyof CPU & ('sockets' | 'cores' | 'threads')

/** Returns the levels that count for the CPUs of a VM without instance type. */
function requiredAxes(preference: VirtualMachinePreferenceSpec): { axes: readonly Axis[]; label: string } {
  const topology = preferredTopology(preference)
  switch (topology) {
    case 'sockets':
    case 'cores':
    case 'threads':
      return { axes: [topology], label: topology }
    case 'any':
      return { axes: ['cores', 'sockets', 'threads'], label: 'cores, sockets and threads' }
    case 'spread': {
      const { across } = spreadOptionsOf(preference)
      if (across === 'CoresThreads') return { axes: ['cores', 'threads'], label: across }
      if (across === 'SocketsCoresThreads') return { axes: ['sockets', 'cores', 'threads'], label: across }
      return { axes: ['sockets', 'cores'], label: 'SocketsCores' }
    }
  }
}

function unmetMemory({ spec, instancetype }: Provided, preference: VirtualMachinePreferenceSpec): UnmetRequirement | undefined {
  const required = preference.requirements?.memory?.guest
  if (required === undefined) return undefined
  const provided = spec.domain.memory?.guest ?? instancetype?.memory.guest ?? '0'
  if (!isQuantity(required))
    return { fields: ['spec.preference'], message: `preference requires memory of '${required}', which is no quantity` }
  // Validation of the VMI reports an invalid quantity.
  if (!isQuantity(provided)) return undefined
  if (compareQuantities(parseQuantity(provided), parseQuantity(required)) >= 0) return undefined
  const provider = instancetype === undefined ? 'VirtualMachine' : 'instance type'
  const sizes = `${canonicalQuantity(provided)} provided by ${provider}, preference requires ${canonicalQuantity(required)}`
  return {
    fields: [instancetype === undefined ? `${domainPath}.memory` : 'spec.instancetype'],
    message: `insufficient Memory resources of ${sizes}`,
  }
}

function unmetArchitecture({ spec }: Provided, preference: VirtualMachinePreferenceSpec): UnmetRequirement | undefined {
  const required = preference.requirements?.architecture
  if (required === undefined || spec.architecture === required) return undefined
  const message = `preference requires architecture ${required} but ${spec.architecture ?? ''} is being requested`
  return { fields: [`${templateSpecPath}.architecture`], message }
}
