import { createHash } from 'node:crypto'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** A resource that is served but not stored, such as an access review. */
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
}

/** A group and its versions, the preferred one first. */
export interface DiscoveredGroup {
  readonly group: string
  readonly versions: readonly DiscoveredVersion[]
}

/** The order in which groups appear. It decides which group wins a short name that two of them claim. */
const groupOrder: readonly string[] = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
]

function rank(group: string): number {
  const index = groupOrder.indexOf(group)
  return index < 0 ? groupOrder.length : index
}

/** Sorts versions as people expect them: v2, v1, v1beta2, v1beta1, v1alpha1, then everything else by name. */
export function compareVersions(a: string, b: string): number {
  const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/
  const left = pattern.exec(a)
  const right = pattern.exec(b)
  if (left === null || right === null) {
    if (left !== null) return -1
    return right === null ? a.localeCompare(b) : 1
  }
  const maturity = (match: RegExpExecArray): number => (match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0)
  return maturity(right) - maturity(left) || Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0)
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

/** Everything that is served, by group and version, in the order in which discovery shows it. */
export function discoverGroups(
  definitions: readonly ResourceDefinition[],
  virtual: readonly VirtualResource[],
): readonly DiscoveredGroup[] {
  const groups = new Map<string, Map<string, DiscoveredResource[]>>()
  const add = (group: string, version: string, resource: DiscoveredResource): void => {
    const versions = groups.get(group) ?? new Map<string, DiscoveredResource[]>()
    groups.set(group, versions)
    versions.set(version, [...(versions.get(version) ?? []), resource])
  }
  for (const definition of definitions) add(definition.group, definition.version, discovered(definition))
  for (const resource of virtual) add(resource.group, resource.version, discoveredVirtual(resource))
  return [...groups]
    .toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .toSorted(([a], [b]) => compareVersions(a, b))
        .map(([version, resources]) => ({ version, resources: resources.toSorted((a, b) => (a.plural < b.plural ? -1 : 1)) })),
    }))
}
