import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { compareQuantities, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'

const counted = ['cpu', 'memory'] as const

/** Returns the QoS class, which determines the order of evictions. */
export function qualityOfService({ spec }: Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  const asks = containers.some(({ resources }) => counted.some((name) => has(resources?.requests, name) || has(resources?.limits, name)))
  if (!asks) return 'BestEffort'
  return containers.every(isFixed) ? 'Guaranteed' : 'Burstable'
}

function has(list: Readonly<Record<string, unknown>> | undefined, name: string): boolean {
  const value = list?.[name]
  return value !== undefined && value !== null && value !== '0' && value !== 0
}

function isFixed({ resources }: Container): boolean {
  return counted.every((name) => {
    const limit = resources?.limits?.[name]
    const request = resources?.requests?.[name]
    return has(resources?.limits, name) && limit !== undefined && (request === undefined || isSame(limit, request))
  })
}

/** Malformed quantities are left to validation. */
function isSame(a: string | number, b: string | number): boolean {
  if (!isQuantity(a) || !isQuantity(b)) return a === b
  return compareQuantities(parseQuantity(a), parseQuantity(b)) === 0
}
