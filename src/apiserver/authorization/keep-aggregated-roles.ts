import { deepEqual } from '#apimachinery/equality.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { runAfterChanges } from '#apiserver/storage/run-after-changes.ts'
import { aggregatedRules, isAggregated } from './aggregation.ts'
import type { RoleObject } from './policy.ts'
import { rbacStorageKeys } from './rbac.ts'

/** Options of {@link keepAggregatedRoles}. */
export interface AggregatedRolesOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  readonly onError: (error: unknown) => void
}

const controller = 'clusterrole-aggregation-controller'

/**
 * Writes the rules of aggregated ClusterRoles into them for readers, at start and after each
 * change. Authorization does not depend on it.
 */
export function keepAggregatedRoles(options: AggregatedRolesOptions): Disposable {
  const { store, registry, verbs, onError } = options
  const pass = async (signal: AbortSignal): Promise<void> => {
    const definition = registry.find('rbac.authorization.k8s.io', 'v1', 'clusterroles')
    if (definition === undefined) return
    const context = internalContext(`system:serviceaccount:kube-system:${controller}`, controller, signal)
    const roles = store.list(rbacStorageKeys.clusterRoles).map(({ object }) => object as RoleObject)
    for (const role of roles.filter(isAggregated)) {
      const rules = aggregatedRules(role, roles)
      if (deepEqual(rules, role.rules ?? [])) continue
      const target = { definition, namespace: '', name: role.metadata?.name ?? '', subresource: '' }
      await verbs.patch(target, { type: 'merge', body: { metadata: { uid: role.metadata?.uid }, rules } }, internalMutation, context)
    }
  }
  return runAfterChanges({ store, keys: [rbacStorageKeys.clusterRoles], pass, onError })
}
