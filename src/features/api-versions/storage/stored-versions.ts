import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

/** Versions in which objects of a kind may be stored. */
export interface StoredVersions {
  /** Storage version of new writes. */
  readonly storage: string
  /** Other versions that stored objects may have. */
  readonly stale: readonly string[]
}

/** API groups that are migrated automatically. */
const ownGroups: readonly string[] = [
  'kubevirt.io',
  'instancetype.kubevirt.io',
  'snapshot.kubevirt.io',
  'clone.kubevirt.io',
  'migrations.kubevirt.io',
  'steadyvm.io',
]

/** Returns the stored versions of a CRD. */
export function storedVersionsOf({ spec, status }: CustomResourceDefinition): StoredVersions {
  const storage = spec.versions.find((version) => version.storage)?.name ?? ''
  return { storage, stale: (status?.storedVersions ?? []).filter((version) => version !== storage) }
}

/** Reports whether a CRD is ours and has objects to migrate. */
export function isOutdated(definition: CustomResourceDefinition): boolean {
  const isGoing = isBeingDeleted(definition)
  return !isGoing && ownGroups.includes(definition.spec.group) && storedVersionsOf(definition).stale.length > 0
}

/**
 * Returns the resource to read and write objects with; prefers the storage version, which needs no
 * conversion. Undefined if no version is served.
 */
export function servedResource({ spec }: CustomResourceDefinition): ResourceType<KubeObject> | undefined {
  const served = spec.versions.filter((version) => version.served)
  const version = served.find(({ storage }) => storage) ?? served[0]
  if (version === undefined) return undefined
  const { group, names, scope } = spec
  return { group, version: version.name, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' }
}
