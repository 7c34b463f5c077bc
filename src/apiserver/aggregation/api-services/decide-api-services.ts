import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { type GroupVersionPriority, type Priorities } from '#apiserver/discovery/group-priorities.ts'

/** Label of APIServices that the server manages. */
export const automanagedLabel = 'kube-aggregator.kubernetes.io/automanaged'

/** A group version that this server serves. */
export interface ServedGroupVersion {
  readonly group: string
  readonly version: string
  /**
   * True if it comes from CustomResourceDefinitions. APIServices of built-in groups are only
   * reconciled at start, so that administrators can change them.
   */
  readonly custom: boolean
}

/** Changes of APIServices. */
export interface ApiServiceChanges {
  readonly create: readonly APIService[]
  readonly update: readonly APIService[]
  /** Stored objects to delete. */
  readonly remove: readonly APIService[]
}

/** `v1.apps`; `v1.` for the core group. */
export function apiServiceName(group: string, version: string): string {
  return `${version}.${group}`
}

function wanted({ group, version, custom }: ServedGroupVersion, priority: GroupVersionPriority): APIService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiServiceName(group, version), labels: { [automanagedLabel]: custom ? 'true' : 'onstart' } },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  }
}

/** Returns the object with the wanted spec, or undefined when it is unchanged. */
function corrected(found: APIService, target: APIService): APIService | undefined {
  const labels = { ...found.metadata.labels, ...target.metadata.labels }
  if (deepEqual(labels, found.metadata.labels) && deepEqual(found.spec, target.spec)) return undefined
  return { ...found, metadata: { ...found.metadata, labels }, ...(target.spec === undefined ? {} : { spec: target.spec }) }
}

/**
 * Decides the APIServices for what is served. One without our label belongs to its author, who can
 * so replace a group that a CustomResourceDefinition serves too. Pure.
 * @param starting whether to create and correct those of built-in groups as well
 */
export function decideApiServices(
  served: readonly ServedGroupVersion[],
  found: readonly APIService[],
  priorities: Priorities,
  starting: boolean,
): ApiServiceChanges {
  const left = new Map(found.map((service) => [service.metadata.name, service]))
  const create: APIService[] = []
  const update: APIService[] = []
  for (const groupVersion of served) {
    const target = wanted(groupVersion, priorities(groupVersion.group, groupVersion.version))
    const existing = left.get(target.metadata.name)
    left.delete(target.metadata.name)
    if (!groupVersion.custom && !starting) continue
    if (existing === undefined) create.push(target)
    else if (existing.metadata.labels?.[automanagedLabel] !== undefined) {
      const next = corrected(existing, target)
      if (next !== undefined) update.push(next)
    }
  }
  const remove = [...left.values()].filter(({ metadata }) => {
    const label = metadata.labels?.[automanagedLabel]
    return label === 'true' || (starting && label !== undefined)
  })
  return { create, update, remove }
}
