import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { discoverGroups, type DiscoveredGroup, type DiscoveredVersion, type VirtualResource } from './api-groups.ts'
import type { Priorities } from './group-priorities.ts'

/** Cached group versions of extension API servers. */
export interface RemoteGroups {
  versions(): readonly (DiscoveredVersion & { readonly group: string })[]
  readonly priorities: Priorities
  /** Changes with the groups. */
  readonly generation: string
}

/** Everything that discovery shows. */
export interface DiscoveryCatalog {
  groups(): readonly DiscoveredGroup[]
  /** Changes with the groups. */
  readonly generation: string
}

/** Merges what this server and extension API servers serve. `virtual` resources are not stored. */
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

/** Returns the paths of groups and versions for the index. */
export function discoveryPaths(catalog: DiscoveryCatalog): readonly string[] {
  return catalog.groups().flatMap(({ group, versions }) => {
    if (group === '') return versions.map(({ version }) => `/api/${version}`)
    return [`/apis/${group}`, ...versions.map(({ version }) => `/apis/${group}/${version}`)]
  })
}
