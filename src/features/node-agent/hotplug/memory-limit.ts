import type { Pod } from '#api/core/v1/pod.ts'
import { formatQuantity, parseQuantity, quantityFromBytes, quantityToBytes } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { computeContainer, memoryOverhead, podResizeObstacle, type MemoryWait } from '#features/vmi/index.ts'

/**
 * Returns why a guest cannot have so much memory yet: the memory limit of its pod in effect is
 * lower than guest and QEMU may use, which would kill both. Undefined when it can. Pure.
 */
export function memoryWait(vmi: VirtualMachineInstance, pod: Pod | undefined, wantedBytes: number): MemoryWait | undefined {
  const limit = limitInEffect(pod)
  const needed = wantedBytes + Number(memoryOverhead(vmi.spec))
  if (limit === undefined || needed <= limit) return undefined
  const [has, needs] = [limit, needed].map((bytes) => formatQuantity(quantityFromBytes(BigInt(bytes))))
  const message = `the memory limit of the launcher pod is ${has}, and ${needs} are needed`
  const obstacle = podResizeObstacle(vmi)
  if (obstacle === undefined) return { reason: 'WaitsForPod', message: `${message}: it is being resized` }
  return { reason: 'PodTooSmall', message: `${message}: ${obstacle}` }
}

/** Kubelets that cannot resize report no resources: the limit is then that of the start. */
function limitInEffect(pod: Pod | undefined): number | undefined {
  const status = pod?.status?.containerStatuses?.find(({ name }) => name === computeContainer)
  const container = pod?.spec.containers.find(({ name }) => name === computeContainer)
  const limit = (status?.resources ?? container?.resources)?.limits?.['memory']
  return limit === undefined ? undefined : Number(quantityToBytes(parseQuantity(limit)))
}
