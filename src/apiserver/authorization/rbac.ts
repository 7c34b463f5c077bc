import { notFound } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { accountUsername } from '#apiserver/service-accounts/claims.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { Authorizer } from './authorizer.ts'
import { aggregatedRules } from './aggregation.ts'
import { allows, type BindingObject, type PolicyRule, type RoleObject, type Subject } from './policy.ts'

/** Storage keys of roles and bindings. */
export const rbacStorageKeys = {
  roles: 'rbac.authorization.k8s.io/roles',
  clusterRoles: 'rbac.authorization.k8s.io/clusterroles',
  roleBindings: 'rbac.authorization.k8s.io/rolebindings',
  clusterRoleBindings: 'rbac.authorization.k8s.io/clusterrolebindings',
} as const

/** A rule with the binding that grants it. */
export interface GrantedRule {
  readonly rule: PolicyRule
  /** `RBAC: allowed by …`, for the audit log. */
  readonly reason: string
}

/** Rules of one user, cluster-wide and by namespace. */
interface EffectiveRules {
  readonly cluster: readonly GrantedRule[]
  readonly byNamespace: ReadonlyMap<string, readonly GrantedRule[]>
}

/** Role-based access control by the stored roles and bindings. */
export interface Rbac extends Disposable {
  readonly authorize: Authorizer
  /** Rules of a user in a namespace; at cluster scope for undefined. */
  rulesIn(user: UserInfo, namespace: string | undefined): readonly PolicyRule[]
  /**
   * Rules that a binding in a namespace (undefined: cluster) would grant. @throws StatusError 404
   * for a missing role
   */
  rulesOfRoleRef(roleRef: BindingObject['roleRef'], namespace: string | undefined): readonly PolicyRule[]
}

/** Store access of the policy. */
export type PolicySource = Pick<ObjectStore, 'get' | 'list' | 'subscribe'>

const allowedMaster = { allowed: true, reason: '' }
const denied = { allowed: false, reason: '' }
/** Number of cached users. The cache is cleared above it, so that many names cannot fill memory. */
const rememberedUsers = 1000

/** Returns the matching subject of a binding, for messages. */
function matchingSubject(user: UserInfo, bindingNamespace: string, subjects: BindingObject['subjects']): Subject | undefined {
  return subjects?.find((subject) => {
    switch (subject.kind) {
      case 'User':
        return subject.name === user.username
      case 'Group':
        return user.groups.includes(subject.name)
      case 'ServiceAccount':
        return user.username === accountUsername(subject.namespace ?? bindingNamespace, subject.name)
      default:
        return false
    }
  })
}

/**
 * Returns the rules of a role. Those of an aggregated one are computed, whatever its stored rules
 * are.
 */
function rulesOfRole(source: PolicySource, role: RoleObject): readonly PolicyRule[] {
  if (role.aggregationRule === undefined || role.aggregationRule === null) return role.rules ?? []
  const roles = source.list(rbacStorageKeys.clusterRoles).map((entry) => entry.object as RoleObject)
  return aggregatedRules(role, roles)
}

function storedRole(source: PolicySource, { kind, name }: BindingObject['roleRef'], namespace: string): RoleObject | undefined {
  const entry =
    kind === 'ClusterRole' ? source.get(rbacStorageKeys.clusterRoles, '', name) : source.get(rbacStorageKeys.roles, namespace, name)
  return entry?.object as RoleObject | undefined
}

function reasonOf({ kind, metadata, roleRef }: BindingObject, subject: Subject): string {
  const { name = '', namespace } = metadata ?? {}
  const binding = namespace === undefined ? name : `${name}/${namespace}`
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? namespace ?? ''}` : subject.name
  return `RBAC: allowed by ${kind ?? ''} ${quote(binding)} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(who)}`
}

/** Collects the rules of all bindings of a user. */
function effectiveRules(source: PolicySource, user: UserInfo): EffectiveRules {
  const grants = (key: string): (readonly [namespace: string, rules: readonly GrantedRule[]])[] =>
    source.list(key).flatMap(({ object }) => {
      const binding = object as BindingObject
      const namespace = binding.metadata?.namespace ?? ''
      const subject = matchingSubject(user, namespace, binding.subjects)
      const role = subject === undefined ? undefined : storedRole(source, binding.roleRef, namespace)
      if (subject === undefined || role === undefined) return []
      const reason = reasonOf(binding, subject)
      return [[namespace, rulesOfRole(source, role).map((rule) => ({ rule, reason }))]]
    })
  const cluster = grants(rbacStorageKeys.clusterRoleBindings).flatMap(([, rules]) => rules)
  const byNamespace = new Map<string, GrantedRule[]>()
  for (const [namespace, rules] of grants(rbacStorageKeys.roleBindings)) {
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), ...rules])
  }
  return { cluster, byNamespace }
}

/** Evaluates the stored policy. Results per user are cached until a role or binding changes. */
export function createRbac(source: PolicySource): Rbac {
  const byName = new Map<string, EffectiveRules>()
  // Authentication caches users, so most lookups need no key of groups.
  let byUser = new WeakMap<UserInfo, EffectiveRules>()
  const forget = (): void => {
    byName.clear()
    byUser = new WeakMap()
  }
  const subscriptions = Object.values(rbacStorageKeys).map((key) => source.subscribe(key, undefined, forget))

  const rulesOf = (user: UserInfo): EffectiveRules => {
    const known = byUser.get(user)
    if (known !== undefined) return known
    const key = JSON.stringify([user.username, user.groups])
    const rules = byName.get(key) ?? effectiveRules(source, user)
    if (byName.size >= rememberedUsers) byName.clear()
    byName.set(key, rules)
    byUser.set(user, rules)
    return rules
  }

  return {
    rulesIn(user, namespace) {
      const { cluster, byNamespace } = rulesOf(user)
      const own = namespace === undefined ? [] : (byNamespace.get(namespace) ?? [])
      return [...cluster, ...own].map(({ rule }) => rule)
    },
    rulesOfRoleRef(roleRef, namespace) {
      const role = storedRole(source, roleRef, namespace ?? '')
      if (role === undefined) {
        const plural = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles'
        throw notFound({ group: 'rbac.authorization.k8s.io', plural }, roleRef.name)
      }
      return rulesOfRole(source, role)
    },
    authorize(user, attributes) {
      if (user.groups.includes('system:masters')) return allowedMaster
      const { cluster, byNamespace } = rulesOf(user)
      const isGrant = ({ rule }: GrantedRule): boolean => allows(rule, attributes)
      const namespace = attributes.kind === 'resource' ? attributes.namespace : undefined
      const grant = cluster.find(isGrant) ?? (namespace === undefined ? undefined : byNamespace.get(namespace)?.find(isGrant))
      return grant === undefined ? denied : { allowed: true, reason: grant.reason }
    },
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]()
    },
  }
}
