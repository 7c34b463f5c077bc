import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import { whyMemoryIsFixed } from '#features/cluster-config/index.ts'
import { pendingSocketsMessage, hotplugObstacle } from '#features/vmi/index.ts'

/**
 * Returns why a running guest cannot get the sockets of `wanted`; undefined when it can. KubeVirt's
 * texts.
 */
export function cpuObstacle(wanted: VirtualMachineInstanceSpec, { spec }: VirtualMachineInstance): string | undefined {
  const [from, to] = [spec.domain.cpu?.sockets ?? 1, wanted.domain.cpu?.sockets ?? 1]
  if (to === from) return undefined
  if (to > from && wanted.architecture === 'arm64') return "ARM doesn't support CPU hotplug"
  if (to > (spec.domain.cpu?.maxSockets ?? from)) return "CPU sockets updated in template spec to a value higher than what's available"
  return to < from ? 'Reduction of CPU socket count requires a restart' : undefined
}

/**
 * Returns why a running guest gets sockets later than its VMI; undefined when they are plugged at
 * once.
 */
export function socketsDelay({ spec, status }: VirtualMachineInstance): string | undefined {
  const why = hotplugObstacle(status, 'sockets')
  return why === undefined ? undefined : pendingSocketsMessage(status?.currentCPUTopology?.sockets ?? spec.domain.cpu?.sockets ?? 1, why)
}

const updated = 'memory updated in template spec'

/**
 * Returns why a running guest cannot get the memory of `wanted`; undefined when it can. KubeVirt's
 * texts.
 */
export function memoryObstacle(wanted: VirtualMachineInstanceSpec, { spec, status }: VirtualMachineInstance): string | undefined {
  if (findCondition(status?.conditions, 'HotMemoryChange')?.status === 'False') {
    return `${updated}. Memory-hotplug failed and is not available for this VM configuration`
  }
  const unavailable = `${updated}. Memory-hotplug is not available for this VM configuration`
  const lack = hotplugObstacle(status, 'memory')
  if (lack !== undefined) return `${unavailable}: ${lack}`
  const { maxGuest, guest } = spec.domain.memory ?? {}
  if (maxGuest === undefined) return unavailable
  const to = parseQuantity(wanted.domain.memory?.guest ?? 0)
  const atBoot = parseQuantity(status?.memory?.guestAtBoot ?? guest ?? 0)
  if (to.nanos < atBoot.nanos) return `${updated} to a value lower than what the VM started with`
  if (to.nanos > parseQuantity(maxGuest).nanos) return `${updated} to a value higher than what's available`
  const limit = spec.domain.resources?.limits?.['memory']
  if (limit !== undefined && to.nanos > parseQuantity(limit).nanos) return `${updated} to a value higher than its limit of ${limit}`
  const why = whyMemoryIsFixed(wanted, to)
  return why === undefined ? undefined : `memory hotplug not supported, ${why}`
}
