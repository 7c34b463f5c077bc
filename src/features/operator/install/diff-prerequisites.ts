import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { cdiGroup, isForeignDefinition } from '#features/foreign-cdi/index.ts'
import { contractedCrd, expandedCrd, isInstalledByOperator, type CrdRelease } from './crds.ts'
import type { CrdName } from './creation-guard.ts'
import { rbacToApply, type RbacObject } from './rbac.ts'

/**
 * Groups whose kinds others may bring: CDI, and the snapshot controller of CSI, whose kinds earlier
 * releases had, too.
 */
const groupsOfOthers: readonly string[] = [cdiGroup, 'snapshot.storage.k8s.io']

/** An object to apply or to delete. */
export interface PrerequisiteChange {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
  readonly isDelete?: boolean
}

/** An RBAC object of the release beside the one in the cluster. */
export interface RbacComparison {
  readonly resource: ResourceType<KubeObject>
  readonly wanted: RbacObject
  readonly present: (RbacObject & KubeObject) | undefined
}

/** CRDs of the release beside all CRDs of the cluster. */
export interface CrdComparison {
  readonly release: CrdRelease
  readonly wanted: readonly CustomResourceDefinition[]
  readonly present: readonly CustomResourceDefinition[]
}

/** Differences between the CRDs of the release and of the cluster. */
export interface CrdDifference {
  readonly changes: readonly PrerequisiteChange[]
  /** CRDs of the release that the cluster does not have. */
  readonly missing: readonly CrdName[]
  /** CRDs that the operator installed for another release and this one does not have. */
  readonly foreign: readonly CrdName[]
}

/**
 * Returns the CRDs to apply so that the cluster has all that the release needs. CRDs that are being
 * deleted are skipped: they are created again once they are gone. Pure.
 */
export function diffCrds({ release, wanted: all, present }: CrdComparison): CrdDifference {
  const wanted = withoutForeignCdi(all, present)
  const byName = new Map(present.map((crd) => [crd.metadata.name ?? '', crd]))
  const names = new Set(wanted.map(({ metadata }) => metadata.name ?? ''))
  const objects = wanted.flatMap((crd) => {
    const current = byName.get(crd.metadata.name ?? '')
    if (current !== undefined && isBeingDeleted(current)) return []
    return expandedCrd(current, crd, release) ?? []
  })
  return {
    changes: objects.map((object) => ({ resource: customResourceDefinitions, object })),
    missing: [...names].filter((name) => !byName.has(name)),
    foreign: present
      .filter((crd) => isInstalledByOperator(crd) && !names.has(crd.metadata.name ?? '') && !groupsOfOthers.includes(crd.spec.group))
      .map((crd) => crd.metadata.name ?? ''),
  }
}

/** Leaves out the kinds of CDI where the cluster runs CDI: they are one API, of one owner. */
function withoutForeignCdi(
  wanted: readonly CustomResourceDefinition[],
  present: readonly CustomResourceDefinition[],
): readonly CustomResourceDefinition[] {
  const isOfCdi = ({ spec }: CustomResourceDefinition): boolean => spec.group === cdiGroup
  return present.some((crd) => isOfCdi(crd) && isForeignDefinition(crd)) ? wanted.filter((crd) => !isOfCdi(crd)) : wanted
}

/**
 * Returns the RBAC objects to apply. `isExact` also takes away rights that the release does not
 * need; otherwise rights are only added. Pure.
 */
export function diffRbac(comparisons: readonly RbacComparison[], isExact: boolean): readonly PrerequisiteChange[] {
  return comparisons.flatMap(({ resource, wanted, present }) => {
    const object = rbacToApply(present, wanted, isExact)
    return object === undefined ? [] : [{ resource, object }]
  })
}

/**
 * Returns CRDs without the versions that the release does not need and no object is stored in. No
 * CRD is removed. Pure.
 */
export function diffObsoleteCrds({ release, wanted, present }: CrdComparison): readonly PrerequisiteChange[] {
  const byName = new Map(withoutForeignCdi(wanted, present).map((crd) => [crd.metadata.name, crd]))
  return present.flatMap((current) => {
    const crd = byName.get(current.metadata.name)
    const object = crd === undefined ? undefined : contractedCrd(current, crd, release)
    return object === undefined ? [] : [{ resource: customResourceDefinitions, object }]
  })
}
