import type { Domain, Memory } from './domain.ts'
import { portId } from './hotplug-port.ts'
import { pluggedInterfaceArguments } from './interface.ts'
import type { PciSlots } from './pci.ts'

/** Functions of one PCI slot. */
const FUNCTIONS = 8

/** Memory that can be hotplugged on top of the initial size. */
export function pluggableBytes({ bytes, maxBytes = bytes }: Memory): number {
  return Math.max(0, maxBytes - bytes)
}

/** Id of the device through which a guest gets more memory. */
export const pluggableMemory = 'pluggable0'

/**
 * Devices that must exist from the start for hotplug, and those in them. Last on the bus, so that
 * guests without them keep their layout.
 */
export function hotplugRoomArguments(domain: Domain, slots: PciSlots): string[] {
  return [...memoryArguments(domain.memory, slots), ...portArguments(domain.hotplugPorts ?? 0, slots), ...pluggedInterfaceArguments(domain)]
}

function memoryArguments(memory: Memory, slots: PciSlots): string[] {
  const bytes = pluggableBytes(memory)
  if (bytes === 0) return []
  const backend =
    memory.hugepageBytes === undefined
      ? `memory-backend-ram,id=ram1,size=${bytes},reserve=off`
      : `memory-backend-memfd,id=ram1,size=${bytes},hugetlb=on,hugetlbsize=${memory.hugepageBytes},share=on,reserve=off`
  return ['-object', backend, '-device', `virtio-mem-pci,id=${pluggableMemory},memdev=ram1,requested-size=0,${slots.next()}`]
}

/** Ports share slots, as functions of one device. */
function portArguments(count: number, slots: PciSlots): string[] {
  let place = ''
  return Array.from({ length: count }, (_, index) => {
    if (index % FUNCTIONS === 0) place = slots.next()
    return ['-device', `pcie-root-port,id=${portId(index)},chassis=${index + 1},${place}.${index % FUNCTIONS},multifunction=on`]
  }).flat()
}
