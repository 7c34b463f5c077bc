import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { ClusterRole } from '#api/rbac/v1/role.ts'
import type { createOperator } from '#features/operator/index.ts'

type Contents = Awaited<ReturnType<Parameters<typeof createOperator>[0]['contents']>>

/** Name of the CRD that all versions have. */
export const thingsName = 'things.things.test'
const managed = { 'app.kubernetes.io/managed-by': 'virt-operator', 'app.kubernetes.io/part-of': 'steadyvm' }

/**
 * Returns the objects of a version. Each minor version adds a rule and a version of the kind, and
 * keeps those of the previous one.
 */
export function contentsOf(version: string): Contents {
  const minor = Number(/^v1\.(\d+)\./.exec(version)?.[1])
  const known = [minor - 1, minor].filter((number) => number >= 0).map((number) => `v1alpha${number + 1}`)
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const versions = known.map((name) => ({ name, served: true, storage: name === known.at(-1), schema }))
  const names = { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' }
  const kind = {
    metadata: { name: thingsName, labels: { 'kubevirt.io': '' } },
    spec: { group: 'things.test', scope: 'Namespaced', names, versions },
  }
  const rules = [{ apiGroups: ['things.test'], resources: [`of-v1.${minor}`], verbs: ['get'] }]
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'things', labels: managed }, rules }
  return {
    definitions: { hash: `hash-of-${version}`, count: 1, read: () => Promise.resolve([kind as unknown as CustomResourceDefinition]) },
    access: [role as ClusterRole],
  }
}
