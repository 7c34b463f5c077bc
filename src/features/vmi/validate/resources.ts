import type { StatusCause } from '#apimachinery/errors.ts'
import { compareQuantities, formatQuantity, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { mostCpus, mostMemory } from '#features/cluster-config/index.ts'
import { invalidValue } from './cause.ts'

type Amount = string | number | undefined

/** Validates that CPU and memory are present, positive, and consistent. */
export function validateResources(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const path = `${base}.domain`
  return [...validateRequests(spec, path), ...validateMemory(spec, path), ...validateCpu(spec, path)]
}

/** Validates that memory is set by one of its three fields. */
export function validateMemoryPresent(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const { memory, resources } = spec.domain
  const given = memory?.guest ?? memory?.hugepages?.pageSize ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory']
  if (given !== undefined) return []
  const path = `${base}.domain`
  const alternatives = `'${path}.memory.guest', '${path}.memory.hugepages.size' or '${path}.resources.requests.memory'`
  return [
    {
      reason: 'FieldValueRequired',
      message: `no memory requested, at least one of ${alternatives} must be set`,
      field: `${path}.memory.guest`,
    },
  ]
}

function validateRequests(spec: VirtualMachineInstanceSpec, path: string): StatusCause[] {
  const { requests = {}, limits = {} } = spec.domain.resources ?? {}
  return ['memory', 'cpu'].flatMap((resource) => {
    const [requestField, limitField] = [`${path}.resources.requests.${resource}`, `${path}.resources.limits.${resource}`]
    const causes = [...validateAmount(requestField, requests[resource], 0n), ...validateAmount(limitField, limits[resource], 0n)]
    if (causes.length > 0 || !isLess(limits[resource], requests[resource])) return causes
    const message = `${requestField} '${requests[resource]}' is greater than ${limitField} '${limits[resource]}'`
    return [invalidValue(requestField, message)]
  })
}

function validateMemory(spec: VirtualMachineInstanceSpec, path: string): StatusCause[] {
  const { guest, maxGuest } = spec.domain.memory ?? {}
  const causes = [...validateAmount(`${path}.memory.guest`, guest, 1n), ...validateAmount(`${path}.memory.maxGuest`, maxGuest, 1n)]
  if (causes.length > 0 || !isLess(maxGuest, guest)) return causes
  return [invalidValue(`${path}.memory.guest`, 'Guest memory is greater than the configured maxGuest memory')]
}

function validateCpu(spec: VirtualMachineInstanceSpec, path: string): StatusCause[] {
  const cpu = spec.domain.cpu
  if (cpu === undefined) return []
  const negative = (['sockets', 'cores', 'threads', 'maxSockets'] as const).filter((axis) => (cpu[axis] ?? 0) < 0)
  const causes = negative.map((axis) =>
    invalidValue(`${path}.cpu.${axis}`, `${path}.cpu.${axis} '${cpu[axis]}': must be greater than or equal to 0.`),
  )
  const count = (cpu.sockets || 1) * (cpu.cores || 1) * (cpu.threads || 1)
  if (count > mostCpus) causes.push(invalidValue(`${path}.cpu`, `${path}.cpu has ${count} virtual CPUs, must be at most ${mostCpus}.`))
  if (cpu.maxSockets && cpu.sockets && cpu.sockets > cpu.maxSockets) {
    causes.push(invalidValue(`${path}.cpu.sockets`, 'Number of sockets in CPU topology is greater than the maximum sockets allowed'))
  }
  return causes
}

function validateAmount(field: string, amount: Amount, least: bigint): StatusCause[] {
  if (amount === undefined) return []
  const nanos = isQuantity(amount) ? parseQuantity(amount).nanos : undefined
  if (nanos !== undefined && nanos > mostMemory.nanos)
    return [invalidValue(field, `${field} '${amount}': must be at most ${formatQuantity(mostMemory)}.`)]
  if (nanos !== undefined && nanos >= least) return []
  return [invalidValue(field, `${field} '${amount}': must be greater than ${least > 0n ? '' : 'or equal to '}0.`)]
}

function isLess(a: Amount, b: Amount): boolean {
  if (a === undefined || b === undefined) return false
  return compareQuantities(parseQuantity(a), parseQuantity(b)) < 0
}
