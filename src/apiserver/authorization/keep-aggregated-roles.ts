import { deepEqual } from '#apimachinery/equality.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { RequestContext, Verbs } from '#apiserver/request/api-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
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

const mutation = { dryRun: false, fieldValidation: 'Ignore' } as const
const context: RequestContext = {
  user: { username: 'system:serviceaccount:kube-system:clusterrole-aggregation-controller', groups: ['system:masters'] },
  warn: () => {},
  signal: new AbortController().signal,
  fieldManager: 'clusterrole-aggregation-controller',
}

/**
 * Writes the rules of aggregated ClusterRoles into them for readers, at start and after each
 * change. Authorization does not depend on it.
 */
export function keepAggregatedRoles(options: AggregatedRolesOptions): Disposable {
  const { store, registry, verbs, onError } = options
  let queued = false
  let disposed = false

  const keep = async (): Promise<void> => {
    const definition = registry.find('rbac.authorization.k8s.io', 'v1', 'clusterroles')
    if (definition === undefined) return
    const roles = store.list(rbacStorageKeys.clusterRoles).map(({ object }) => object as RoleObject)
    for (const role of roles.filter(isAggregated)) {
      const rules = aggregatedRules(role, roles)
      if (deepEqual(rules, role.rules ?? [])) continue
      const target = { definition, namespace: '', name: role.metadata?.name ?? '', subresource: '' }
      await verbs.patch(target, { type: 'merge', body: { metadata: { uid: role.metadata?.uid }, rules } }, mutation, context)
    }
  }
  const run = async (): Promise<void> => {
    queued = false
    if (disposed) return
    try {
      await keep()
    } catch (error) {
      // The competing write triggers this function again.
      if (!disposed && !isConflict(error) && !isNotFound(error)) onError(error)
    }
  }
  const queue = (): void => {
    if (queued) return
    queued = true
    setImmediate(() => void run())
  }
  const subscription = store.subscribe(rbacStorageKeys.clusterRoles, undefined, queue)
  queue()
  return {
    [Symbol.dispose]() {
      disposed = true
      subscription[Symbol.dispose]()
    },
  }
}
