import { createHash } from 'node:crypto'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { byVersionPriority, defaultPriorities, type Priorities } from './group-priorities.ts'

/** A resource that is served without being stored, such as an access review. */
export interface VirtualResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** A subresource in discovery. */
export interface DiscoveredSubresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly string[]
}

/** A resource in discovery. */
export interface DiscoveredResource {
  readonly plural: string
  readonly singular: string
  /** Group of the kind, if it differs from the resource's. */
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly subresources: readonly DiscoveredSubresource[]
  readonly storageVersionHash: string | undefined
}

/** A version of a group. */
export interface DiscoveredVersion {
  readonly version: string
  readonly resources: readonly DiscoveredResource[]
  /** Stale: last known state of an unreachable extension API server. Default Current. */
  readonly freshness?: 'Current' | 'Stale'
}

/** A group with its versions, the preferred one first. */
export interface DiscoveredGroup {
  readonly group: string
  readonly versions: readonly DiscoveredVersion[]
}

function storageVersionHash(definition: ResourceDefinition): string {
  const slash = definition.storageApiVersion.lastIndexOf('/')
  const version = definition.storageApiVersion.slice(slash + 1)
  return createHash('sha256').update(`${definition.group}/${version}/${definition.kind}`).digest().subarray(0, 8).toString('base64')
}

function subresourcesOf(definition: ResourceDefinition): readonly DiscoveredSubresource[] {
  const { group, version, kind } = definition
  const verbs = ['get', 'patch', 'update']
  return [
    ...(definition.extraSubresources ?? []),
    ...(definition.scale === undefined ? [] : [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs }]),
    ...(definition.hasStatus ? [{ name: 'status', group, version, kind, verbs }] : []),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function discovered(definition: ResourceDefinition): DiscoveredResource {
  const { plural, singular, kind, namespaced, verbs, shortNames, categories } = definition
  const subresources = subresourcesOf(definition)
  return {
    plural,
    singular,
    kind,
    namespaced,
    verbs: verbs.toSorted(),
    shortNames,
    categories,
    subresources,
    storageVersionHash: storageVersionHash(definition),
  }
}

function discoveredVirtual(resource: VirtualResource): DiscoveredResource {
  return { ...resource, shortNames: [], categories: [], subresources: [], storageVersionHash: undefined }
}

/** Merges local and remote group versions in discovery order. */
export function discoverGroups(
  definitions: readonly ResourceDefinition[],
  virtual: readonly VirtualResource[],
  remote: readonly (DiscoveredVersion & { readonly group: string })[] = [],
  priorities: Priorities = defaultPriorities,
): readonly DiscoveredGroup[] {
  const groups = new Map<string, Map<string, DiscoveredResource[]>>()
  const add = (group: string, version: string, resource: DiscoveredResource): void => {
    const versions = groups.get(group) ?? new Map<string, DiscoveredResource[]>()
    groups.set(group, versions)
    versions.set(version, [...(versions.get(version) ?? []), resource])
  }
  for (const definition of definitions) add(definition.group, definition.version, discovered(definition))
  for (const resource of virtual) add(resource.group, resource.version, discoveredVirtual(resource))
  const served = new Map<string, Map<string, DiscoveredVersion>>()
  for (const [group, versions] of groups) {
    const sorted = [...versions].map(([version, resources]): [string, DiscoveredVersion] => [
      version,
      { version, resources: resources.toSorted((a, b) => (a.plural < b.plural ? -1 : 1)) },
    ])
    served.set(group, new Map(sorted))
  }
  // A group version of an extension API server replaces the local one entirely.
  for (const { group, ...version } of remote) served.set(group, (served.get(group) ?? new Map()).set(version.version, version))
  const placeOf = (group: string): number =>
    Math.max(...[...(served.get(group)?.keys() ?? [])].map((version) => priorities(group, version).group))
  return [...served]
    .map(([group, versions]) => ({ group, place: placeOf(group), versions }))
    .toSorted((a, b) => b.place - a.place || (a.group < b.group ? -1 : 1))
    .map(({ group, versions }) => {
      const compare = byVersionPriority(group, priorities)
      return { group, versions: [...versions.values()].toSorted((a, b) => compare(a.version, b.version)) }
    })
}
