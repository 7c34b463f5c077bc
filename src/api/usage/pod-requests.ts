import { parseQuantity, quantityToMilli } from '#apimachinery/quantity.ts'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Quantity } from '#api/scalars.ts'

/** Amounts by resource name, in thousandths of the resource's unit. */
export type Amounts = ReadonlyMap<string, bigint>

/** Parses a resource list such as `{ cpu: '500m', memory: '1Gi' }`. */
export function parseAmounts(list: Readonly<Record<string, Quantity>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, quantityToMilli(parseQuantity(amount))]))
}

/** Adds lists of amounts. */
export function sumAmounts(lists: Iterable<Amounts>): Amounts {
  const sum = new Map<string, bigint>()
  for (const list of lists) for (const [name, amount] of list) sum.set(name, (sum.get(name) ?? 0n) + amount)
  return sum
}

/**
 * Returns the requests of a pod, including one unit of `pods` for the pod itself. Init containers
 * run one at a time, so that only the largest requests count. Sidecars run in parallel with all
 * containers that start later.
 */
export function podRequests(pod: Pod): Amounts {
  return sumAmounts([podAmounts(pod, requestsOf), parseAmounts(pod.spec.overhead), new Map([['pods', 1000n]])])
}

/** Returns the limits of a pod, as far as limits are set. */
export function podLimits(pod: Pod): Amounts {
  return podAmounts(pod, ({ resources }) => parseAmounts(resources?.limits))
}

function podAmounts(pod: Pod, amountsOf: (container: Container) => Amounts): Amounts {
  let sidecars: Amounts = new Map()
  let initPeak: Amounts = new Map()
  for (const container of pod.spec.initContainers ?? []) {
    const own = amountsOf(container)
    if (container.restartPolicy === 'Always') sidecars = sumAmounts([sidecars, own])
    initPeak = maximum(initPeak, container.restartPolicy === 'Always' ? sidecars : sumAmounts([sidecars, own]))
  }
  return maximum(initPeak, sumAmounts([sidecars, ...pod.spec.containers.map(amountsOf)]))
}

// A limit without a request is also the request.
function requestsOf(container: Container): Amounts {
  return parseAmounts({ ...container.resources?.limits, ...container.resources?.requests })
}

function maximum(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a)
  for (const [name, amount] of b) if (amount > (result.get(name) ?? 0n)) result.set(name, amount)
  return result
}
