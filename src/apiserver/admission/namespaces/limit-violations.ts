import type { LimitRangeItem } from '#api/core/v1/limit-range.ts'
import { type Amounts, parseAmounts } from '#api/usage/pod-requests.ts'
import { canonicalQuantity, formatQuantity, parseQuantity } from '#apimachinery/quantity.ts'

/** Requests and limits of a container, pod or claim, in thousandths. */
export interface Demand {
  readonly requests: Amounts
  readonly limits: Amounts
}

/** Returns how a demand violates one item of a limit range, in Kubernetes' words. Pure. */
export function limitViolations(item: LimitRangeItem, demand: Demand): readonly string[] {
  const { type } = item
  return [...tooLittle(item, demand, type), ...tooMuch(item, demand, type), ...tooFarApart(item, demand, type)]
}

function tooLittle({ min = {} }: LimitRangeItem, { requests, limits }: Demand, type: string): string[] {
  return names(min).flatMap((name) => {
    const bound = min[name] ?? '0'
    const least = `minimum ${name} usage per ${type} is ${canonicalQuantity(bound)}`
    const [request, limit, wanted] = [requests.get(name), limits.get(name), milli(bound)]
    if (request === undefined) return [`${least}.  No request is specified`]
    if (request < wanted) return [`${least}, but request is ${shown(request, bound)}`]
    return limit !== undefined && limit < wanted ? [`${least}, but limit is ${shown(limit, bound)}`] : []
  })
}

function tooMuch({ max = {} }: LimitRangeItem, { requests, limits }: Demand, type: string): string[] {
  return names(max).flatMap((name) => {
    const bound = max[name] ?? '0'
    const most = `maximum ${name} usage per ${type} is ${canonicalQuantity(bound)}`
    const [request, limit, wanted] = [requests.get(name), limits.get(name), milli(bound)]
    // Claims have requests only.
    if (type === 'PersistentVolumeClaim')
      return request !== undefined && request > wanted ? [`${most}, but request is ${shown(request, bound)}`] : []
    if (limit === undefined) return [`${most}.  No limit is specified`]
    if (limit > wanted) return [`${most}, but limit is ${shown(limit, bound)}`]
    return request !== undefined && request > wanted ? [`${most}, but request is ${shown(request, bound)}`] : []
  })
}

function tooFarApart({ maxLimitRequestRatio = {} }: LimitRangeItem, { requests, limits }: Demand, type: string): string[] {
  return names(maxLimitRequestRatio).flatMap((name) => {
    const bound = maxLimitRequestRatio[name] ?? '0'
    const most = `${name} max limit to request ratio per ${type} is ${canonicalQuantity(bound)}`
    const [request = 0n, limit = 0n] = [requests.get(name), limits.get(name)]
    if (request === 0n) return [`${most}, but no request is specified or request is 0`]
    if (limit === 0n) return [`${most}, but no limit is specified or limit is 0`]
    const ratio = Number(limit) / Number(request)
    return ratio > Number(milli(bound)) / 1000 ? [`${most}, but provided ratio is ${ratio.toFixed(6)}`] : []
  })
}

function names(bounds: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(bounds).toSorted()
}

function milli(bound: string | number): bigint {
  return parseAmounts({ bound: String(bound) }).get('bound') ?? 0n
}

function shown(amount: bigint, like: string | number): string {
  return formatQuantity({ nanos: amount * 1_000_000n, format: parseQuantity(like).format })
}
