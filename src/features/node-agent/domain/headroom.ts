import { formatQuantity, parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { whyMemoryIsFixed } from '#features/cluster-config/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { buildArguments, takesProcessors, TooManyDevices, type Domain } from '#qemu/index.ts'

/**
 * Processors of forty address bits, which emulation has, reach no further when the windows of
 * devices are to fit as well: 512Gi.
 */
const reachableBytes = 2 ** 39

/**
 * Room for memory that a guest is started with: the most that it can have in all, in bytes, or why
 * it has none. Neither: nobody has promised any.
 */
export interface MemoryHeadroom {
  readonly maxBytes?: number
  readonly why?: string
}

/** What of the memory that a VMI may grow to can be prepared for. Pure. */
export function memoryHeadroomOf(spec: VirtualMachineInstanceSpec): MemoryHeadroom {
  const { memory, resources, features } = spec.domain
  if (memory?.guest === undefined || memory.maxGuest === undefined) return {}
  const [guest, most] = [parseQuantity(memory.guest), parseQuantity(memory.maxGuest)]
  const [bytes, maxBytes] = [Number(quantityToBytes(guest)), Math.min(Number(quantityToBytes(most)), reachableBytes)]
  if (most.nanos <= guest.nanos) return {}
  const fixed = whyMemoryIsFixed(spec, guest) ?? whyMemoryIsFixed(spec, most)
  if (fixed !== undefined) return { why: fixed }
  // A fault in a huge page that the node has not got any more would kill the guest.
  if (memory.hugepages !== undefined) return { why: 'its memory is made of huge pages' }
  if (resources?.limits?.['memory'] !== undefined) return { why: 'its pod must not have more memory than the limit that the VM sets' }
  if (features?.acpi?.enabled === false) return { why: 'it has no ACPI to be told by' }
  if (maxBytes <= bytes) return { why: `guests grow to ${formatQuantity(parseQuantity('512Gi'))} at most` }
  return { maxBytes }
}

/** A guest whose bus is full goes without room for more memory, rather than not at all. */
export function withinSlots(domain: Domain): Domain {
  const { maxBytes, ...fixed } = domain.memory
  if (maxBytes === undefined) return domain
  try {
    buildArguments(domain)
    return domain
  } catch (error) {
    if (!(error instanceof TooManyDevices)) throw error
    return { ...domain, memory: fixed }
  }
}

/**
 * What a running guest cannot be given although its VMI says that it may be: in words, by what it
 * is. Empty when all can be plugged.
 */
export interface MissingHeadroom {
  readonly sockets?: string
  readonly memory?: string
}

type Launch = Pick<LaunchRecord, 'domain' | 'arguments'>

/** Compares what a VMI may grow to with what its guest was started for. */
export function missingHeadroom({ spec }: Pick<VirtualMachineInstance, 'spec'>, launch: Launch): MissingHeadroom {
  const { cpu, memory } = launch.domain
  const room = memoryHeadroomOf(spec)
  const lacksMemory = (room.maxBytes !== undefined || room.why !== undefined) && memory.maxBytes === undefined
  const growsSockets = (spec.domain.cpu?.maxSockets ?? 1) > cpu.sockets
  const hasPlaces = (cpu.maxSockets ?? cpu.sockets) > cpu.sockets
  const sockets = hasPlaces || !launch.domain.machine.acpi ? socketsObstacle(launch) : 'it was started without room for them'
  return {
    ...(growsSockets && sockets !== undefined ? { sockets } : {}),
    ...(lacksMemory ? { memory: room.why ?? 'it was started without room for it' } : {}),
  }
}

/**
 * Why a running guest can be given no processors at all, whatever places it has for them; undefined
 * when it can.
 */
export function socketsObstacle({ domain, arguments: args }: Launch): string | undefined {
  if (!domain.machine.acpi) return 'it has no ACPI to be told by'
  if (takesProcessors(args)) return undefined
  return 'without hardware virtualization, only a guest that was started with a single processor, and with room for more, can be given some'
}
