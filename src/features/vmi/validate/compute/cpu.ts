import type { StatusCause } from '#apimachinery/errors.ts'
import { canonicalQuantity, isQuantity, parseQuantity, quantityToMilli } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { mostCpus } from '#features/cluster-config/index.ts'
import { invalidValue, requiredValue, unsupportedValue, when } from '../cause.ts'

/** Empty: the policy that the hypervisor gives. */
const featurePolicies: readonly string[] = ['', 'force', 'require', 'optional', 'disable', 'forbid']

/** Validates the size, placement, features and topology of virtual CPUs. */
export function validateCpu(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const path = `${base}.domain`
  return [
    ...validateAmounts(spec, path),
    ...validateDedicated(spec, base),
    ...validateNuma(spec, path),
    ...validateFeatures(spec, path),
    ...validateTopology(spec, path),
    ...validateRealtime(spec, path),
  ]
}

/** Requests and limits of CPUs in thousandths; absent ones count as 0. */
function amountsOf({ domain }: VirtualMachineInstanceSpec): { readonly request: number; readonly limit: number } {
  const [request = 0, limit = 0] = [domain.resources?.requests, domain.resources?.limits].map((list) => {
    const amount = list?.['cpu']
    return amount !== undefined && isQuantity(amount) ? Number(quantityToMilli(parseQuantity(amount))) : 0
  })
  return { request, limit }
}

function validateAmounts(spec: VirtualMachineInstanceSpec, path: string): readonly StatusCause[] {
  const { request, limit } = amountsOf(spec)
  const { requests, limits } = spec.domain.resources ?? {}
  const [requestField, limitField] = [`${path}.resources.requests.cpu`, `${path}.resources.limits.cpu`]
  const show = (amount: string | number | undefined): string => (amount === undefined ? '0' : canonicalQuantity(amount))
  const isNegative = (field: string, amount: string | number | undefined): StatusCause =>
    invalidValue(field, `${field} '${show(amount)}': must be greater than or equal to 0.`)
  return [
    ...when(request < 0, isNegative(requestField, requests?.['cpu'])),
    ...when(limit < 0, isNegative(limitField, limits?.['cpu'])),
    ...when(
      limit > 0 && request > limit,
      invalidValue(requestField, `${requestField} '${show(requests?.['cpu'])}' is greater than ${limitField} '${show(limits?.['cpu'])}'`),
    ),
  ]
}

function validateDedicated(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { domain, architecture } = spec
  if (domain.cpu?.dedicatedCpuPlacement !== true) {
    return when(
      domain.cpu?.isolateEmulatorThread === true,
      invalidValue(
        `${base}.domain.cpu.isolateEmulatorThread`,
        'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
      ),
    )
  }
  const path = `${base}.domain`
  const field = `${path}.cpu.dedicatedCpuPlacement`
  const [request, limit, cores] = [`${path}.resources.requests.cpu`, `${path}.resources.limits.cpu`, `${path}.cpu.cores`]
  const amounts = amountsOf(spec)
  const [requested, limited] = [Math.ceil(amounts.request / 1000), Math.ceil(amounts.limit / 1000)]
  const vcpus = vcpusOf(spec)
  const { threads = 0 } = domain.cpu
  return [
    ...when(
      amounts.request > 0 && amounts.request % 1000 !== 0,
      invalidValue(request, 'provided resources CPU requests must be an interger'),
    ),
    ...when(amounts.limit > 0 && amounts.limit % 1000 !== 0, invalidValue(limit, 'provided resources CPU limits must be an interger')),
    ...validateGuaranteedMemory(spec, path),
    ...when(
      requested > 0 && limited > 0 && requested !== limited,
      invalidValue(field, `${request} or ${limit} must be equal when DedicatedCPUPlacement is true `),
    ),
    ...when(
      (requested > 0 || limited > 0) && vcpus > 0 && requested !== vcpus && limited !== vcpus,
      invalidValue(field, `${request} or ${limit} must not be provided at the same time with ${cores} when DedicatedCPUPlacement is true `),
    ),
    ...when(
      threads > 1 && architecture === 'arm64',
      invalidValue(
        `${base}.architecture`,
        `threads must not be greater than 1 at ${path}.cpu.threads (got ${threads}) when ${base}.architecture is arm64`,
      ),
    ),
    ...when(
      threads > 2,
      invalidValue(
        field,
        `Not more than two threads must be provided at ${path}.cpu.threads (got ${threads}) when DedicatedCPUPlacement is true`,
      ),
    ),
  ]
}

/** Memory of a guest on dedicated CPUs is guaranteed: its request is its limit. */
function validateGuaranteedMemory({ domain }: VirtualMachineInstanceSpec, path: string): readonly StatusCause[] {
  const [request = 0n, limit = 0n] = [domain.resources?.requests, domain.resources?.limits].map((list) => {
    const amount = list?.['memory']
    return amount !== undefined && isQuantity(amount) ? parseQuantity(amount).nanos : 0n
  })
  const [requestField, limitField] = [`${path}.resources.requests.memory`, `${path}.resources.limits.memory`]
  return when(request > 0n && limit > 0n && request !== limit, invalidValue(requestField, `${requestField} must be equal to ${limitField}`))
}

function validateNuma({ domain: { cpu, memory } }: VirtualMachineInstanceSpec, path: string): readonly StatusCause[] {
  if (cpu?.numa?.guestMappingPassthrough === undefined) return []
  const field = `${path}.cpu.numa.guestMappingPassthrough`
  const strategy = `when NUMA topology strategy is set in ${field}`
  return [
    ...when(cpu.dedicatedCpuPlacement !== true, invalidValue(field, `${path}.cpu.dedicatedCpuPlacement must be set to true ${strategy}`)),
    ...when(memory?.hugepages === undefined, invalidValue(field, `${path}.memory.hugepages must be requested ${strategy}`)),
  ]
}

function validateFeatures({ domain }: VirtualMachineInstanceSpec, path: string): readonly StatusCause[] {
  return (domain.cpu?.features ?? []).flatMap(({ name, policy = '' }, index) =>
    when(
      !featurePolicies.includes(policy),
      unsupportedValue(`${path}.cpu.features[${index}].policy`, `CPU feature ${name} uses policy ${policy} that is not supported.`),
    ),
  )
}

/** More CPUs than any machine has are refused, where KubeVirt fails at the start. */
function validateTopology(spec: VirtualMachineInstanceSpec, path: string): readonly StatusCause[] {
  const { cpu } = spec.domain
  if (cpu === undefined) return []
  const vcpus = vcpusOf(spec)
  return [
    ...(['sockets', 'cores', 'threads', 'maxSockets'] as const).flatMap((level) => {
      const field = `${path}.cpu.${level}`
      return when((cpu[level] ?? 0) < 0, invalidValue(field, `${field} '${cpu[level]}': must be greater than or equal to 0.`))
    }),
    ...when(vcpus > mostCpus, invalidValue(`${path}.cpu`, `${path}.cpu has ${vcpus} virtual CPUs, must be at most ${mostCpus}.`)),
    ...when(
      (cpu.maxSockets ?? 0) > 0 && (cpu.sockets ?? 0) > (cpu.maxSockets ?? 0),
      invalidValue(`${path}.cpu.sockets`, 'Number of sockets in CPU topology is greater than the maximum sockets allowed'),
    ),
  ]
}

function validateRealtime({ domain: { cpu } }: VirtualMachineInstanceSpec, path: string): readonly StatusCause[] {
  if (cpu?.realtime === undefined) return []
  const dedicated = `${path}.cpu.dedicatedCpuPlacement`
  const mapping = `${path}.cpu.numa.guestMappingPassthrough`
  const use = `when ${path}.cpu.realtime is used`
  return [
    ...when(cpu.dedicatedCpuPlacement !== true, requiredValue(dedicated, `${dedicated} must be set to true ${use}`)),
    ...when(cpu.numa?.guestMappingPassthrough === undefined, requiredValue(mapping, `${mapping} must be defined ${use}`)),
  ]
}

function vcpusOf({ domain: { cpu } }: VirtualMachineInstanceSpec): number {
  return (cpu?.sockets || 1) * (cpu?.cores || 1) * (cpu?.threads || 1)
}
