import type { DiscoveredResource, DiscoveredSubresource } from '#apiserver/discovery/api-groups.ts'

type Json = Readonly<Record<string, unknown>>

function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item): item is Json => typeof item === 'object' && item !== null) : []
}
function text(value: unknown, otherwise = ''): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
function record(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

/**
 * Returns the resources of a version in an aggregated discovery document; undefined when it is
 * missing. Throws for invalid JSON.
 */
export function fromAggregated(document: Buffer, group: string, version: string): readonly DiscoveredResource[] | undefined {
  const { items } = record(JSON.parse(document.toString()))
  const item = records(items).find(({ metadata }) => record(metadata)['name'] === group)
  const found = records(item?.['versions']).find((candidate) => candidate['version'] === version)
  if (found === undefined) return undefined
  return records(found['resources']).map((resource) => ({
    plural: text(resource['resource']),
    singular: text(resource['singularResource']),
    ...responseKind(resource['responseKind'], group, version),
    namespaced: resource['scope'] === 'Namespaced',
    verbs: texts(resource['verbs']),
    shortNames: texts(resource['shortNames']),
    categories: texts(resource['categories']),
    storageVersionHash: undefined,
    subresources: records(resource['subresources']).map((subresource) => ({
      name: text(subresource['subresource']),
      ...responseKind(subresource['responseKind'], group, version),
      verbs: texts(subresource['verbs']),
    })),
  }))
}

function responseKind(value: unknown, group: string, version: string): { group: string; version: string; kind: string } {
  const kind = record(value)
  // An empty version means the enclosing group version. An empty group means that too, or the core
  // group when a version is set.
  const own = text(kind['version']) === ''
  return { group: own ? group : text(kind['group']), version: own ? version : text(kind['version']), kind: text(kind['kind']) }
}

/** Returns the resources of an `APIResourceList`. Throws for invalid JSON. */
export function fromLegacy(document: Buffer, group: string, version: string): readonly DiscoveredResource[] {
  const all = records(record(JSON.parse(document.toString()))['resources'])
  const subresources = Map.groupBy(
    all.filter((resource) => text(resource['name']).includes('/')),
    (resource) => text(resource['name']).split('/', 1)[0] ?? '',
  )
  const kindOf = (resource: Json): { group: string; version: string; kind: string } => ({
    group: text(resource['version']) === '' ? group : text(resource['group']),
    version: text(resource['version'], version),
    kind: text(resource['kind']),
  })
  const subresourcesOf = (plural: string): DiscoveredSubresource[] =>
    (subresources.get(plural) ?? []).map((resource) => ({
      name: text(resource['name']).slice(plural.length + 1),
      ...kindOf(resource),
      verbs: texts(resource['verbs']),
    }))
  const main = all.filter((resource) => !text(resource['name']).includes('/'))
  // A resource with subresources only, such as virtualmachines in KubeVirt's subresource group, has
  // an entry without a kind.
  const orphans = [...subresources.keys()].filter((plural) => !main.some((resource) => resource['name'] === plural))
  return [
    ...main.map((resource) => ({
      plural: text(resource['name']),
      singular: text(resource['singularName']),
      ...kindOf(resource),
      namespaced: resource['namespaced'] === true,
      verbs: texts(resource['verbs']),
      shortNames: texts(resource['shortNames']),
      categories: texts(resource['categories']),
      storageVersionHash: undefined,
      subresources: subresourcesOf(text(resource['name'])),
    })),
    ...orphans.map((plural) => ({
      plural,
      singular: '',
      group: '',
      version: '',
      kind: '',
      namespaced: subresources.get(plural)?.some((resource) => resource['namespaced'] === true) === true,
      verbs: [],
      shortNames: [],
      categories: [],
      storageVersionHash: undefined,
      subresources: subresourcesOf(plural),
    })),
  ]
}
