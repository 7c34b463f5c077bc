import { deepEqual } from '#apimachinery/equality.ts'
import { forbidden } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { isAggregated } from '#apiserver/authorization/aggregation.ts'
import type { BindingObject, PolicyRule, RoleObject } from '#apiserver/authorization/policy.ts'
import { type Rbac, rbacStorageKeys } from '#apiserver/authorization/rbac.ts'
import { describeRule, missingRules, quoteAll } from '#apiserver/authorization/rule-coverage.ts'

const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]
const roleKeys: ReadonlySet<string> = new Set([rbacStorageKeys.roles, rbacStorageKeys.clusterRoles])
const bindingKeys: ReadonlySet<string> = new Set([rbacStorageKeys.roleBindings, rbacStorageKeys.clusterRoleBindings])

/**
 * Reports whether the user has `escalate` on the role itself, or `bind` on the role that a binding
 * refers to.
 */
function hasVerb(
  rbac: Rbac,
  user: UserInfo,
  verb: 'escalate' | 'bind',
  resource: string,
  namespace: string | undefined,
  name: string,
): boolean {
  const group = 'rbac.authorization.k8s.io'
  return rbac.authorize(user, { kind: 'resource', verb, group, version: '*', resource, subresource: '', namespace, name }).allowed
}

/**
 * Removes the fields that the garbage collector changes with its own identity. Labels stay, as
 * aggregation selects roles by them.
 */
function comparableContent(object: KubeObject): KubeObject {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, generation: _g, ...metadata } = object.metadata ?? {}
  return { ...object, metadata }
}

function changesNothingOfWeight({ object, old }: AdmissionRequest): boolean {
  return object !== undefined && old !== undefined && deepEqual(comparableContent(object), comparableContent(old))
}

function placeOf({ target }: AdmissionRequest): string | undefined {
  return target.definition.namespaced ? target.namespace : undefined
}

/**
 * Describes the rules that the user would grant without holding them; undefined when there are
 * none.
 */
function describeMissingRules(
  rbac: Rbac,
  user: UserInfo,
  namespace: string | undefined,
  wanted: readonly PolicyRule[],
): string | undefined {
  const missing = missingRules(rbac.rulesIn(user, namespace), wanted)
  if (missing.length === 0) return undefined
  const lines = [...new Set(missing.map(describeRule))].toSorted()
  return `user ${quote(user.username)} (groups=${quoteAll(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`
}

function checkRole(rbac: Rbac, request: AdmissionRequest): void {
  const { target, context, old } = request
  const role = request.object as RoleObject
  if (hasVerb(rbac, context.user, 'escalate', target.definition.plural, placeOf(request), target.name)) return
  const why = describeMissingRules(rbac, context.user, placeOf(request), role.rules ?? [])
  if (why !== undefined) throw forbidden(target.definition, target.name, why)
  // An aggregated role can collect any rule, so setting one requires all rights.
  const aggregates = isAggregated(role) || (old !== undefined && isAggregated(old as RoleObject))
  if (aggregates && describeMissingRules(rbac, context.user, undefined, everything) !== undefined) {
    throw forbidden(target.definition, target.name, 'must have cluster-admin privileges to use the aggregationRule')
  }
}

function checkBinding(rbac: Rbac, request: AdmissionRequest): void {
  const { target, context } = request
  const { roleRef } = request.object as BindingObject
  const namespace = placeOf(request)
  const roles = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles'
  if (hasVerb(rbac, context.user, 'bind', roles, namespace, roleRef.name)) return
  const why = describeMissingRules(rbac, context.user, namespace, rbac.rulesOfRoleRef(roleRef, namespace))
  if (why !== undefined) throw forbidden(target.definition, target.name, why)
}

/**
 * Prevents privilege escalation through RBAC: a user who may write roles and bindings can grant
 * only rules that it holds.
 */
export function createEscalationCheck(rbac: Rbac): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    resources: new Set([...roleKeys, ...bindingKeys]),
    validate(request) {
      const { operation, target, context } = request
      if (operation === 'DELETE' || target.subresource !== '') return
      if (context.user.groups.includes('system:masters') || changesNothingOfWeight(request)) return
      if (roleKeys.has(target.definition.storageKey)) checkRole(rbac, request)
      else checkBinding(rbac, request)
    },
  }
}
