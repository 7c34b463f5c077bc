import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { discoverGroups, type DiscoveredGroup, type DiscoveredVersion, type VirtualResource } from './api-groups.ts'
import type { Priorities } from './group-priorities.ts'

/** Group versions that other servers serve, as far as is known. */
export interface RemoteGroups {
  versions(): readonly (DiscoveredVersion & { readonly group: string })[]
  readonly priorities: Priorities
  /** Changes whenever one of these does. */
  readonly generation: string
}

/** All that discovery shows. */
export interface DiscoveryCatalog {
  groups(): readonly DiscoveredGroup[]
  /** Changes whenever the groups do. */
  readonly generation: string
}

/** What this server and others serve, put together. `virtual` is served without being stored. */
export function createDiscoveryCatalog(
  registry: ResourceRegistry,
  virtual: readonly VirtualResource[],
  remote: RemoteGroups | undefined,
): DiscoveryCatalog {
  return {
    groups: () => discoverGroups(registry.all(), virtual, remote?.versions(), remote?.priorities),
    get generation() {
      return `${registry.generation} ${remote?.generation ?? ''}`
    },
  }
}

/** Where groups and versions are found, for the index of all paths. */
export function discoveryPaths(catalog: DiscoveryCatalog): readonly string[] {
  return catalog.groups().flatMap(({ group, versions }) => {
    if (group === '') return versions.map(({ version }) => `/api/${version}`)
    return [`/apis/${group}`, ...versions.map(({ version }) => `/apis/${group}/${version}`)]
  })
}
