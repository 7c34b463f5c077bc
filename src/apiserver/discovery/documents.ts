import type { DiscoveredGroup, DiscoveredResource } from './api-groups.ts'

/** Body of `/api`. `address` is that of this server. */
export function apiVersions(address: string): object {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }] }
}

/** An entry of `/apis`, or the body of `/apis/<group>`. */
function apiGroup({ group, versions }: DiscoveredGroup): object {
  const all = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: all, preferredVersion: all[0] }
}

/** Body of `/apis`. */
export function apiGroupList(groups: readonly DiscoveredGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ group }) => group !== '').map(apiGroup) }
}

/** Body of `/apis/<group>`; undefined for an unknown group. */
export function singleApiGroup(groups: readonly DiscoveredGroup[], name: string): object | undefined {
  const found = groups.find(({ group }) => group === name && group !== '')
  return found === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(found) }
}

function optional(resource: DiscoveredResource): object {
  return {
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
  }
}

/** Body of `/api/v1` and `/apis/<group>/<version>`; undefined when not served. */
export function apiResourceList(groups: readonly DiscoveredGroup[], group: string, version: string): object | undefined {
  const found = groups.find((candidate) => candidate.group === group)?.versions.find((candidate) => candidate.version === version)
  if (found === undefined) return undefined
  const resources = found.resources.flatMap((resource) => {
    const { plural, singular, namespaced, kind, verbs, storageVersionHash } = resource
    const main = {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...optional(resource),
      ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
    }
    const subresources = resource.subresources.map((subresource) => {
      const foreign = subresource.group !== group || subresource.version !== version
      return {
        name: `${plural}/${subresource.name}`,
        singularName: '',
        namespaced,
        ...(foreign ? { group: subresource.group, version: subresource.version } : {}),
        kind: subresource.kind,
        verbs: subresource.verbs,
      }
    })
    return [main, ...subresources]
  })
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources,
  }
}

function aggregatedResource(group: string, version: string, resource: DiscoveredResource): object {
  const scope = resource.namespaced ? 'Namespaced' : 'Cluster'
  return {
    resource: resource.plural,
    responseKind: { group: resource.group ?? group, version: resource.version ?? version, kind: resource.kind },
    scope,
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...optional(resource),
    ...(resource.subresources.length === 0
      ? {}
      : {
          subresources: resource.subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: { group: subresource.group, version: subresource.version, kind: subresource.kind },
            verbs: subresource.verbs,
          })),
        }),
  }
}

/**
 * Aggregated form: all groups (for `/api` the core group) with resources. `version` is that of
 * `apidiscovery.k8s.io`.
 */
export function aggregatedDiscovery(groups: readonly DiscoveredGroup[], scope: 'core' | 'groups', version: 'v2' | 'v2beta1'): object {
  const items = groups
    .filter(({ group }) => (group === '') === (scope === 'core'))
    .map(({ group, versions }) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: versions.map((served) => ({
        version: served.version,
        resources: served.resources.map((resource) => aggregatedResource(group, served.version, resource)),
        freshness: served.freshness ?? 'Current',
      })),
    }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items }
}
