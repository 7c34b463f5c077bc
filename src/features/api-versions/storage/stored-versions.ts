import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

/** In which versions objects of a kind may be stored. */
export interface StoredVersions {
  /** What is written today is stored in it. */
  readonly storage: string
  /** Versions in which objects may still be stored, although nothing is any more. */
  readonly stale: readonly string[]
}

/** Groups whose objects are migrated without being asked for. */
const ownGroups: readonly string[] = [
  'kubevirt.io',
  'instancetype.kubevirt.io',
  'snapshot.kubevirt.io',
  'clone.kubevirt.io',
  'migrations.kubevirt.io',
  'steadyvm.io',
]

/** What a definition says about how its objects are stored. */
export function storedVersionsOf({ spec, status }: CustomResourceDefinition): StoredVersions {
  const storage = spec.versions.find((version) => version.storage)?.name ?? ''
  return { storage, stale: (status?.storedVersions ?? []).filter((version) => version !== storage) }
}

/** Whether a definition is of ours, and there is something to migrate. */
export function isOutdated(definition: CustomResourceDefinition): boolean {
  const isGoing = isBeingDeleted(definition)
  return !isGoing && ownGroups.includes(definition.spec.group) && storedVersionsOf(definition).stale.length > 0
}

/**
 * Through which version objects are read and written; any will do, the storage version needs no
 * conversion. Undefined: none is served.
 */
export function servedResource({ spec }: CustomResourceDefinition): ResourceType<KubeObject> | undefined {
  const served = spec.versions.filter((version) => version.served)
  const version = served.find(({ storage }) => storage) ?? served[0]
  if (version === undefined) return undefined
  const { group, names, scope } = spec
  return { group, version: version.name, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' }
}
