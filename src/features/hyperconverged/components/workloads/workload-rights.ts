import type { hyperConvergedRules } from '#api/access/hyperconverged-rules.ts'
import type { ClusterRole, PolicyRule } from '#api/rbac/v1/role.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { tlsSettingsOf } from '../rendering/tls-profile.ts'
import { workloadKindOf } from './kinds.ts'
import { workloads } from './workload-components.ts'
import type { Workload } from './workload.ts'

/** Returns the objects of workloads, on OpenShift and elsewhere. */
function allObjects(namespace: string, of: readonly Workload[] = workloads): readonly KubeObject[] {
  const place = { namespace, image: '', hasCertManager: true, isHighlyAvailable: true, hyperconverged: { metadata: {}, spec: {} } }
  const tls = { ...tlsSettingsOf(undefined), type: 'Intermediate' }
  return [true, false].flatMap((isOpenShift) => of.flatMap((workload) => workload.objects({ ...place, tls, isOpenShift })))
}

/** Returns the names of the objects of workloads, kind by kind. Pure. */
export function workloadObjectNames(namespace: string): Parameters<typeof hyperConvergedRules>[0]['workloads'] {
  const byKind = Map.groupBy(allObjects(namespace), ({ kind = '' }) => kind)
  return [...byKind].map(([kind, objects]) => {
    const { group, plural, builtIn } = workloadKindOf(kind)
    const namespaced = builtIn?.namespaced ?? kind !== 'SecurityContextConstraints'
    return { group, plural, namespaced, names: [...new Set(objects.map(({ metadata }) => metadata?.name ?? ''))] }
  })
}

/** Environment variables of the operator with the images, by the names of workloads. */
export const workloadImageVariables: ReadonlyMap<string, string> = new Map(
  workloads.flatMap(({ name, image }) => (image === undefined ? [] : [[name, image] as const])),
)

/**
 * Returns the rights of the workloads with these names: the operator cannot grant what it does not
 * have. It may bind their roles by the verb `bind`, for which the API server does not look the role
 * up: in a dry run, and on a cluster of several API servers, the role may not be there yet. Pure.
 */
export function workloadRules(namespace: string, names: readonly string[]): readonly PolicyRule[] {
  const chosen = workloads.filter(({ name }) => names.includes(name))
  const roles = allObjects(namespace, chosen).filter(({ kind }) => kind === 'ClusterRole') as readonly ClusterRole[]
  const granted = new Map(roles.flatMap(({ rules }) => (rules ?? []).map((rule) => [JSON.stringify(rule), rule] as const)))
  const resourceNames = [...new Set(roles.map(({ metadata }) => metadata.name ?? ''))]
  if (resourceNames.length === 0) return []
  return [...granted.values(), { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames, verbs: ['bind'] }]
}
