import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { type GroupVersionPriority, type Priorities } from '#apiserver/discovery/group-priorities.ts'

/** Label of the APIServices that are made and kept by the server. */
export const automanagedLabel = 'kube-aggregator.kubernetes.io/automanaged'

/** A group version that the server serves itself. */
export interface ServedGroupVersion {
  readonly group: string
  readonly version: string
  /**
   * Whether it comes from CustomResourceDefinitions. Others are seen to at the start only, so that
   * people may change theirs.
   */
  readonly custom: boolean
}

/** What is to be done to the APIServices. */
export interface ApiServiceChanges {
  readonly create: readonly APIService[]
  readonly update: readonly APIService[]
  /** Objects that are to go, as they are. */
  readonly remove: readonly APIService[]
}

/** `v1.apps`; that of the core is `v1.`. */
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

/** The object with the content of the wanted one, or undefined when it has that. */
function corrected(found: APIService, target: APIService): APIService | undefined {
  const labels = { ...found.metadata.labels, ...target.metadata.labels }
  if (deepEqual(labels, found.metadata.labels) && deepEqual(found.spec, target.spec)) return undefined
  return { ...found, metadata: { ...found.metadata, labels }, ...(target.spec === undefined ? {} : { spec: target.spec }) }
}

/**
 * What makes the APIServices tell what is served. One without our label is somebody's own and is
 * left alone, which is how a server of its own takes over a group that a CustomResourceDefinition
 * serves too. `starting`: at the start also those of built-in groups are made and put right.
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
