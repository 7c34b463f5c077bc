import { formatQuantity, isQuantity, parseQuantity, quantityFromBytes, quantityToBytes, type Quantity } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '../cluster-config.ts'
import { mostMemory } from './limits.ts'

/** Maximum of virtual CPUs for hotplug, whatever the machine type supports. */
const mostVcpus = 512

/**
 * Sets the maxima of hotplug, when changes of VMs reach running guests. Runs after sizes are
 * complete.
 */
export function completeHotplugInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  if (config.rolloutStrategy !== 'LiveUpdate' || spec.architecture === 'arm64') return
  completeMaxSocketsInto(spec, config)
  completeMaxGuestInto(spec, config)
}

/** A maximum that is set stays, even below the initial value: validation then names it. */
function completeMaxSocketsInto({ domain }: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  const { cpu } = domain
  if (cpu === undefined || cpu.maxSockets) return
  const sockets = cpu.sockets || 1
  const perSocket = (cpu.cores || 1) * (cpu.threads || 1)
  const byRatio = Math.min(sockets * config.maxHotplugRatio, Math.floor(mostVcpus / perSocket))
  cpu.maxSockets = Math.max(sockets, config.maxCpuSockets || byRatio)
}

function completeMaxGuestInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  const { memory } = spec.domain
  if (memory?.guest === undefined || memory.maxGuest !== undefined || !isQuantity(memory.guest)) return
  const guest = parseQuantity(memory.guest)
  const most = maxGuestFor(guest, config)
  if (most.nanos < guest.nanos || whyMemoryIsFixed(spec, guest) !== undefined || whyMemoryIsFixed(spec, most) !== undefined) return
  memory.maxGuest = formatQuantity(most)
}

function maxGuestFor(guest: Quantity, { maxGuest, maxHotplugRatio }: ClusterConfig): Quantity {
  if (maxGuest !== undefined) return parseQuantity(maxGuest)
  const byRatio = quantityFromBytes(quantityToBytes(guest) * BigInt(maxHotplugRatio))
  return byRatio.nanos > mostMemory.nanos ? mostMemory : byRatio
}

const smallest = parseQuantity('1Gi').nanos

/**
 * Returns the reason why the memory of such a guest cannot become `guest` while it runs; undefined
 * when it can.
 */
export function whyMemoryIsFixed({ domain, architecture }: VirtualMachineInstanceSpec, guest: Quantity): string | undefined {
  if (domain.cpu?.realtime !== undefined) return 'the guest runs in real time'
  if (domain.cpu?.numa?.guestMappingPassthrough !== undefined) return 'the guest mirrors the NUMA topology of its node'
  if (domain.launchSecurity !== undefined) return 'the memory of the guest is encrypted'
  if ((architecture ?? 'amd64') !== 'amd64') return `it is not available on ${architecture}`
  if (guest.nanos < smallest) return 'the guest has less than 1Gi'
  const unit = domain.memory?.hugepages?.pageSize === '1Gi' ? '1Gi' : '2Mi'
  return guest.nanos % parseQuantity(unit).nanos === 0n ? undefined : `the memory is no multiple of ${unit}`
}
