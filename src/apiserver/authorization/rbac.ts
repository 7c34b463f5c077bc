import { notFound } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { accountUsername } from '#apiserver/service-accounts/claims.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { Authorizer } from './authorizer.ts'
import { aggregatedRules } from './aggregation.ts'
import { allows, type BindingObject, type PolicyRule, type RoleObject, type Subject } from './policy.ts'

/** Storage keys of the four kinds that make up the policy. */
export const rbacStorageKeys = {
  roles: 'rbac.authorization.k8s.io/roles',
  clusterRoles: 'rbac.authorization.k8s.io/clusterroles',
  roleBindings: 'rbac.authorization.k8s.io/rolebindings',
  clusterRoleBindings: 'rbac.authorization.k8s.io/clusterrolebindings',
} as const

/** A rule, and how somebody came by it. */
export interface GrantedRule {
  readonly rule: PolicyRule
  /** `RBAC: allowed by …`, for the audit log. */
  readonly reason: string
}

/** What one user may do: everywhere, and by namespace. */
interface EffectiveRules {
  readonly cluster: readonly GrantedRule[]
  readonly byNamespace: ReadonlyMap<string, readonly GrantedRule[]>
}

/** Role based access control over the roles and bindings in the store. */
export interface Rbac extends Disposable {
  readonly authorize: Authorizer
  /** All that a user may do in a namespace; at cluster scope for undefined. */
  rulesIn(user: UserInfo, namespace: string | undefined): readonly PolicyRule[]
  /**
   * What a binding in a namespace (or of the cluster, for undefined) would grant. @throws
   * StatusError 404 when there is no such role
   */
  rulesOfRoleRef(roleRef: BindingObject['roleRef'], namespace: string | undefined): readonly PolicyRule[]
}

/** The part of the store that the policy is read from. */
export type PolicySource = Pick<ObjectStore, 'get' | 'list' | 'subscribe'>

const allowedMaster = { allowed: true, reason: '' }
const denied = { allowed: false, reason: '' }
/**
 * Users whose rules are kept. Beyond, all are forgotten: certificates name few users, and a flood
 * of names must not fill memory.
 */
const rememberedUsers = 1000

/** The user as the binding calls it, or undefined when it is not about this user. */
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
 * Rules of a role; those of an aggregated one are gathered from the roles that its selectors match,
 * whoever has written them down last.
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

/** Gathers all that the bindings give to a user. */
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

/**
 * Evaluates the stored policy. What it gathers per user is kept until any role or binding changes.
 */
export function createRbac(source: PolicySource): Rbac {
  const byName = new Map<string, EffectiveRules>()
  // Most requests come with a user that authentication has kept: no need to spell out its groups
  // each time.
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
