import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/** Resources that every container must set when a quota limits them, and the field. */
const required: ReadonlyMap<string, readonly ['requests' | 'limits', string]> = new Map([
  ['cpu', ['requests', 'cpu']],
  ['memory', ['requests', 'memory']],
  ['requests.cpu', ['requests', 'cpu']],
  ['requests.memory', ['requests', 'memory']],
  ['limits.cpu', ['limits', 'cpu']],
  ['limits.memory', ['limits', 'memory']],
])

/**
 * Returns `limits.cpu for: main,side; …`, the resources that a quota limits and a pod does not set;
 * undefined when there are none.
 */
export function missingResources({ spec }: Pod, hard: readonly string[]): string | undefined {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  const missing = hard.toSorted().flatMap((name) => {
    const names = containers.filter((container) => isMissing(container, name)).map((container) => container.name)
    return names.length === 0 ? [] : [`${name} for: ${names.toSorted().join(',')}`]
  })
  return missing.length === 0 ? undefined : missing.join('; ')
}

function isMissing({ resources }: Container, name: string): boolean {
  const [part, resource] = required.get(name) ?? []
  return part !== undefined && resource !== undefined && resources?.[part]?.[resource] === undefined
}
