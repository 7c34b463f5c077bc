import { isQuantity, parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import type { SizedDomain } from '#features/instancetype/index.ts'

/** A resource that a VM requests, as KubeVirt's metric shows it. */
export interface ResourceRequest {
  readonly resource: 'cpu' | 'memory'
  readonly unit: string
  /** What says so: the domain, the request of the pod, or the guest that comes of them. */
  readonly source: string
  readonly value: number
}

/** A resource that a VM is limited to. */
export type ResourceLimit = Omit<ResourceRequest, 'source'>

const parts = ['cores', 'threads', 'sockets'] as const

/**
 * Returns the CPUs and the memory that a VM requests, with its instance type applied and without
 * defaults of the start. A value of zero counts as absent. Pure.
 */
export function requestsOf({ cpu, memory, resources }: SizedDomain): ResourceRequest[] {
  const requests: ResourceRequest[] = []
  const add = (resource: 'cpu' | 'memory', unit: string, source: string, value: number | undefined): void => {
    if (value !== undefined && value !== 0) requests.push({ resource, unit, source, value })
  }
  const [askedCpu, askedMemory] = [amountOf(resources?.requests?.['cpu']), amountOf(resources?.requests?.['memory'])]
  const guest = amountOf(memory?.guest)
  add('memory', 'bytes', 'domain', askedMemory)
  add('memory', 'bytes', 'guest', guest)
  add('memory', 'bytes', 'hugepages', amountOf(memory?.hugepages?.pageSize))
  for (const part of parts) add('cpu', part, 'domain', cpu?.[part])
  add('cpu', 'cores', 'requests', askedCpu)
  if (cpu === undefined && (askedCpu ?? 0) === 0) for (const part of parts) add('cpu', part, 'default', 1)
  add(
    'cpu',
    'cores',
    'guest_effective',
    parts.reduce((product, part) => product * (cpu?.[part] || 1), 1),
  )
  add('memory', 'bytes', 'guest_effective', guest ?? amountOf(resources?.limits?.['memory']) ?? askedMemory)
  return requests
}

/** Returns the limits of a VM. Pure. */
export function limitsOf({ resources }: SizedDomain): ResourceLimit[] {
  const [cpu, memory] = [amountOf(resources?.limits?.['cpu']), amountOf(resources?.limits?.['memory'])]
  return [
    ...(memory === undefined || memory === 0 ? [] : [{ resource: 'memory', unit: 'bytes', value: memory } as const]),
    ...(cpu === undefined || cpu === 0 ? [] : [{ resource: 'cpu', unit: 'cores', value: cpu } as const]),
  ]
}

/** A quantity that admission would refuse may be stored from before it did. */
function amountOf(quantity: string | number | undefined | null): number | undefined {
  return quantity === undefined || quantity === null || !isQuantity(quantity) ? undefined : quantityToNumber(parseQuantity(quantity))
}
