import type { AggregatedGroup, AggregatedResource, Method } from './aggregated-group.ts'
import { verbs } from './aggregated-group.ts'

/** `GET /apis`. */
export function groupList(group: AggregatedGroup): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: [groupEntry(group)] }
}

/** `GET /apis/<group>`. */
export function groupDocument(group: AggregatedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }
}

/** `GET /apis/<group>/<version>`. */
export function resourceList({ group, resources }: AggregatedGroup, version: string): object {
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}`, resources: resources.map(resourceEntry) }
}

function groupEntry({ group, versions }: AggregatedGroup): object {
  const [preferredVersion, ...others] = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: [preferredVersion, ...others], preferredVersion }
}

function resourceEntry({ resource, subresource, namespaced = true, responseKind, handlers }: AggregatedResource): object {
  return {
    name: subresource === undefined ? resource : `${resource}/${subresource}`,
    // Without it clients derive the singular name from the kind, and would take the subresource for
    // the object itself.
    singularName: subresource === undefined ? resource : '',
    namespaced,
    ...responseKind,
    verbs: (Object.keys(handlers) as Method[]).map((method) => verbs[method]).toSorted(),
  }
}
