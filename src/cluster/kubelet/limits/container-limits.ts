import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { GroupLimits } from '#runtime/isolation/control-groups.ts'

/** Processes and threads that a container may have. */
const maxProcesses = 8_192
/** Shares of a container that requests no CPU, as in Kubernetes. */
const leastShares = 2
const mostShares = 262_144
const sharesPerCpu = 1_024

/**
 * Returns the limits of a container. Undefined for parts of the system that have none: they keep
 * the share of the machine that other programs have. Pure.
 */
export function containerLimits(pod: Pod, { resources }: Pick<Container, 'resources'>): GroupLimits | undefined {
  const { limits = {}, requests = {} } = resources ?? {}
  const isUnlimited = limits['cpu'] === undefined && limits['memory'] === undefined
  if (isUnlimited && pod.spec.priorityClassName?.startsWith('system-') === true) return undefined
  const [memory, cpuMillis] = [limits['memory'], millisOf(limits['cpu'])]
  const shares = Math.floor(((millisOf(requests['cpu'] ?? limits['cpu']) ?? 0) * sharesPerCpu) / 1_000)
  return {
    ...(memory === undefined ? {} : { memoryBytes: Number(quantityToBytes(parseQuantity(memory))) }),
    ...(cpuMillis === undefined ? {} : { cpuMillis }),
    cpuShares: Math.min(mostShares, Math.max(leastShares, shares)),
    processes: maxProcesses,
  }
}

function millisOf(quantity: string | number | undefined): number | undefined {
  return quantity === undefined ? undefined : Math.ceil(Number(parseQuantity(quantity).nanos) / 1e6)
}

/** Returns the name of the control group of a run. Pure. */
export function groupName(podUid: string, container: string, restart: number): string {
  return `${podUid}_${container}_${restart}`
}

/** Returns the pod of a control group. Pure. */
export function podOfGroup(name: string): string {
  return name.slice(0, name.indexOf('_'))
}
