import type { Container, ResourceFieldSelector } from '#api/core/v1/container.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'

/** Resources of a container without limits. */
export interface NodeResources {
  readonly cpu: string
  readonly memory: string
}

/**
 * Value of a resource of a container in units of the divisor, rounded up; undefined when there is
 * no such resource.
 */
export function resourceFieldValue(container: Container, field: ResourceFieldSelector, node: NodeResources): string | undefined {
  const [kind = '', ...rest] = field.resource.split('.')
  const name = rest.join('.')
  if (kind !== 'limits' && kind !== 'requests') return undefined
  const { limits = {}, requests = {} } = container.resources ?? {}
  // A limit that is not set is what the node has; a request that is not set is nothing.
  const ofNode = name === 'cpu' || name === 'memory' ? node[name] : '0'
  const value = kind === 'limits' ? (limits[name] ?? ofNode) : (requests[name] ?? '0')
  const divisor = String(field.divisor ?? '0')
  const unit = parseQuantity(divisor === '0' || divisor === '' ? '1' : divisor).nanos
  const { nanos } = parseQuantity(String(value))
  return String((nanos + unit - 1n) / unit)
}
