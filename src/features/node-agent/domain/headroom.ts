import { formatQuantity, parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { whyMemoryIsFixed } from '#features/cluster-config/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { isSecondary } from '#features/network-attachment/index.ts'
import { isPluggedDisk } from '#features/vmi/index.ts'
import { buildArguments, takesProcessors, TooManyDevices, type Domain } from '#qemu/index.ts'

/** 512 GiB: emulated CPUs have 40 address bits, and the windows of devices need the rest. */
const reachableBytes = 2 ** 39

/** Maximum memory in bytes, or why the guest cannot grow. Empty when the VMI sets no maximum. */
export interface MemoryHeadroom {
  readonly maxBytes?: number
  readonly why?: string
}

/** Returns the memory headroom to start the guest with. Pure. */
export function memoryHeadroomOf(spec: VirtualMachineInstanceSpec): MemoryHeadroom {
  const { memory, resources, features } = spec.domain
  if (memory?.guest === undefined || memory.maxGuest === undefined) return {}
  const [guest, most] = [parseQuantity(memory.guest), parseQuantity(memory.maxGuest)]
  const limit = resources?.limits?.['memory']
  const bounds = [most, ...(limit === undefined ? [] : [parseQuantity(limit)])].map((bound) => Number(quantityToBytes(bound)))
  const [bytes, maxBytes] = [Number(quantityToBytes(guest)), inBlocks(Math.min(...bounds, reachableBytes))]
  if (most.nanos <= guest.nanos) return {}
  const fixed = whyMemoryIsFixed(spec, guest) ?? whyMemoryIsFixed(spec, most)
  if (fixed !== undefined) return { why: fixed }
  // A page fault without a free huge page on the node would kill the guest.
  if (memory.hugepages !== undefined) return { why: 'its memory is made of huge pages' }
  if (features?.acpi?.enabled === false) return { why: 'it has no ACPI to be told by' }
  if (maxBytes <= bytes && limit !== undefined) return { why: `the VM limits its memory to ${limit}` }
  if (maxBytes <= bytes) return { why: `guests grow to ${formatQuantity(parseQuantity('512Gi'))} at most` }
  return { maxBytes }
}

/** Memory is plugged in blocks of 2 MiB. */
function inBlocks(bytes: number): number {
  return bytes - (bytes % 2 ** 21)
}

/** Free ports that a guest starts with, and free ones beside cards that can be unplugged. */
const ports = { least: 4, spare: 2 } as const

/**
 * Returns the number of ports for hotplug. Only PCIe has them. A guest that was never started with
 * ports keeps its hardware, unless it has cards or
 * disks that go there. Pure.
 */
export function hotplugPortsOf(spec: VirtualMachineInstanceSpec, machineType: string, hadPorts: boolean): number {
  const count = (spec.networks ?? []).filter(isSecondary).length + diskPorts(spec)
  if (!machineType.startsWith('pc-q35-') || (count === 0 && !hadPorts)) return 0
  return Math.max(ports.least, count + ports.spare)
}

/** Ports that disks need which are plugged in: one each, and one for all on the SCSI bus. */
function diskPorts(spec: VirtualMachineInstanceSpec): number {
  const buses = (spec.domain.devices.disks ?? []).filter((disk) => isPluggedDisk(disk, spec)).map(({ disk, lun }) => (disk ?? lun)?.bus)
  return buses.filter((bus) => bus === 'virtio').length + (buses.includes('scsi') ? 1 : 0)
}

/** Drops headroom of a guest whose PCI bus is full, so that it starts at all. */
export function withinSlots(domain: Domain): Domain {
  const { maxBytes: _, ...memory } = domain.memory
  const { hotplugPorts: _ports, ...portless } = domain
  const isPlugged = domain.interfaces.some(({ port }) => port !== undefined)
  const smaller = isPlugged ? domain : portless
  return [domain, smaller].find(fits) ?? { ...smaller, memory }
}

function fits(domain: Domain): boolean {
  try {
    buildArguments(domain)
    return true
  } catch (error) {
    if (!(error instanceof TooManyDevices)) throw error
    return false
  }
}

/**
 * Reasons why sockets or memory cannot be plugged although the VMI allows it. Empty when they can.
 */
export interface MissingHeadroom {
  readonly sockets?: string
  readonly memory?: string
}

type Launch = Pick<LaunchRecord, 'domain' | 'arguments'>

/** Compares the maxima of the VMI with the headroom of the running guest. */
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

/** Returns why no vCPU can be plugged into the guest; undefined when vCPUs can be. */
export function socketsObstacle({ domain, arguments: args }: Launch): string | undefined {
  if (!domain.machine.acpi) return 'it has no ACPI to be told by'
  if (takesProcessors(args)) return undefined
  return 'without hardware virtualization, only a guest that was started with a single processor, and with room for more, can be given some'
}
