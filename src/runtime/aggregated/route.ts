import type { AggregatedGroup, AggregatedResource } from './aggregated-group.ts'

/** Meaning of a path. */
export type Route =
  | { readonly kind: 'groups' | 'group' }
  | { readonly kind: 'version'; readonly version: string }
  | {
      readonly kind: 'resource'
      readonly version: string
      readonly resource: AggregatedResource
      readonly namespace: string
      readonly name: string
      /** Segments after the subresource; empty for none. */
      readonly tail: string
    }

/** Reads a path without query; undefined for one that is not served. */
export function routeOf(group: AggregatedGroup, path: string): Route | undefined {
  const segments = segmentsOf(path)
  if (segments?.[0] !== 'apis') return undefined
  const [, name, version, ...rest] = segments
  if (name === undefined) return { kind: 'groups' }
  if (name !== group.group) return undefined
  if (version === undefined) return { kind: 'group' }
  if (!group.versions.includes(version)) return undefined
  return rest.length === 0 ? { kind: 'version', version } : resourceRoute(group, version, rest)
}

function resourceRoute(group: AggregatedGroup, version: string, segments: readonly string[]): Route | undefined {
  const isNamespaced = segments[0] === 'namespaces'
  const [namespace = '', resource, name = '', ...rest] = isNamespaced ? segments.slice(1) : ['', ...segments]
  const subresource = rest.length === 0 ? undefined : rest.join('/')
  const found = group.resources.find(
    (each) =>
      each.resource === resource &&
      (each.subresource === subresource || (each.hasTail === true && subresource?.startsWith(`${each.subresource}/`) === true)),
  )
  // A name alone addresses the object itself, which another server serves.
  if (found === undefined || (found.namespaced ?? true) !== isNamespaced || (name === '') !== (subresource === undefined)) return undefined
  const tail = subresource?.slice((found.subresource?.length ?? 0) + 1) ?? ''
  return { kind: 'resource', version, resource: found, namespace, name, tail }
}

/**
 * Returns the decoded segments; undefined for ambiguous paths: the path that is authorized must be
 * the path that is served.
 */
function segmentsOf(path: string): readonly string[] | undefined {
  try {
    const segments = path.replace(/\/$/, '').split('/').slice(1).map(decodeURIComponent)
    return segments.some((segment) => segment === '' || segment === '.' || segment === '..' || segment.includes('/')) ? undefined : segments
  } catch {
    return undefined
  }
}
