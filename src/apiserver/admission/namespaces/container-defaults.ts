import type { Container } from '#api/core/v1/container.ts'
import type { LimitRange } from '#api/core/v1/limit-range.ts'
import type { Pod } from '#api/core/v1/pod.ts'

const annotation = 'kubernetes.io/limit-ranger'
type Amounts = Readonly<Record<string, string | number>>

/**
 * Sets the defaults of a limit range in containers without values, and records that in an
 * annotation. Returns the same pod when nothing is missing. Pure.
 */
export function withContainerDefaults(pod: Pod, { spec }: LimitRange): Pod {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container')
  const requests: Amounts = Object.assign({}, ...items.map(({ defaultRequest }) => defaultRequest))
  const limits: Amounts = Object.assign({}, ...items.map((item) => item.default))
  const notes: string[] = []
  const complete = (container: Container, what: string): Container => {
    const { resources = {}, name } = container
    const addedRequests = missing(requests, resources.requests)
    const addedLimits = missing(limits, resources.limits)
    if (addedRequests.length > 0) notes.push(`${addedRequests.join(', ')} request for ${what} ${name}`)
    if (addedLimits.length > 0) notes.push(`${addedLimits.join(', ')} limit for ${what} ${name}`)
    if (addedRequests.length + addedLimits.length === 0) return container
    return {
      ...container,
      resources: {
        ...resources,
        ...(addedLimits.length === 0 ? {} : { limits: { ...limits, ...resources.limits } }),
        ...(addedRequests.length === 0 ? {} : { requests: { ...requests, ...resources.requests } }),
      },
    } as Container
  }
  const containers = pod.spec.containers.map((container) => complete(container, 'container'))
  const initContainers = pod.spec.initContainers?.map((container) => complete(container, 'init container'))
  if (notes.length === 0) return pod
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` }
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...pod.spec, containers, ...(initContainers === undefined ? {} : { initContainers }) },
  }
}

function missing(defaults: Amounts, present: Amounts = {}): readonly string[] {
  return Object.keys(defaults)
    .filter((name) => present[name] === undefined)
    .toSorted()
}
