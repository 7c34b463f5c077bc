import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { UserInfo } from '#apiserver/endpoints/api-request.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { Authorizer } from './authorizer.ts'
import { allows, type BindingObject, type PolicyRule, type RoleObject, type Subject } from './policy.ts'

/** Storage keys of the four kinds that make up the policy. */
export const rbacStorageKeys = {
  roles: 'rbac.authorization.k8s.io/roles',
  clusterRoles: 'rbac.authorization.k8s.io/clusterroles',
  roleBindings: 'rbac.authorization.k8s.io/rolebindings',
  clusterRoleBindings: 'rbac.authorization.k8s.io/clusterrolebindings',
} as const

/** What one user may do: everywhere, and by namespace. */
export interface EffectiveRules {
  readonly cluster: readonly PolicyRule[]
  readonly byNamespace: ReadonlyMap<string, readonly PolicyRule[]>
}

/** Role based access control over the roles and bindings in the store. */
export interface Rbac extends Disposable {
  readonly authorize: Authorizer
  rulesOf(user: UserInfo): EffectiveRules
}

/** The part of the store that the policy is read from. */
export type PolicySource = Pick<ObjectStore, 'get' | 'list' | 'subscribe'>

const allowed = { allowed: true, reason: '' }
const denied = { allowed: false, reason: '' }
/** Users whose rules are kept. Beyond, all are forgotten: certificates name few users, and a flood of names must not fill memory. */
const rememberedUsers = 1000

function isSubject(user: UserInfo, bindingNamespace: string, subject: Subject): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === '*' || subject.name === user.username
    case 'Group':
      return user.groups.includes(subject.name)
    case 'ServiceAccount':
      return user.username === `system:serviceaccount:${subject.namespace ?? bindingNamespace}:${subject.name}`
    default:
      return false
  }
}

function hasLabels(object: KubeObject, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => object.metadata?.labels?.[key] === value)
}

/** Rules of a role; those of an aggregated one are gathered from the roles that its selectors match, whoever has written them down last. */
function rulesOfRole(source: PolicySource, role: RoleObject): readonly PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors
  if (selectors === undefined) return role.rules ?? []
  return source
    .list(rbacStorageKeys.clusterRoles)
    .map((entry) => entry.object as RoleObject)
    .filter((part) => part !== role && part.aggregationRule === undefined)
    .filter((part) => selectors.some((selector) => hasLabels(part, selector.matchLabels ?? {})))
    .flatMap((part) => part.rules ?? [])
}

function boundRules(source: PolicySource, binding: BindingObject): readonly PolicyRule[] {
  const { kind, name } = binding.roleRef
  const entry =
    kind === 'ClusterRole'
      ? source.get(rbacStorageKeys.clusterRoles, '', name)
      : source.get(rbacStorageKeys.roles, binding.metadata?.namespace ?? '', name)
  return entry === undefined ? [] : rulesOfRole(source, entry.object as RoleObject)
}

/** Gathers all that the bindings give to a user. */
function effectiveRules(source: PolicySource, user: UserInfo): EffectiveRules {
  const cluster: PolicyRule[] = []
  for (const { object } of source.list(rbacStorageKeys.clusterRoleBindings)) {
    const binding = object as BindingObject
    if (binding.subjects?.some((subject) => isSubject(user, '', subject)) === true) cluster.push(...boundRules(source, binding))
  }
  const byNamespace = new Map<string, PolicyRule[]>()
  for (const { object } of source.list(rbacStorageKeys.roleBindings)) {
    const binding = object as BindingObject
    const namespace = binding.metadata?.namespace ?? ''
    if (binding.subjects?.some((subject) => isSubject(user, namespace, subject)) !== true) continue
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), ...boundRules(source, binding)])
  }
  return { cluster, byNamespace }
}

/** Evaluates the stored policy. What it gathers per user is kept until any role or binding changes. */
export function createRbac(source: PolicySource): Rbac {
  const remembered = new Map<string, EffectiveRules>()
  const subscriptions = Object.values(rbacStorageKeys).map((key) => source.subscribe(key, undefined, () => remembered.clear()))

  const rulesOf = (user: UserInfo): EffectiveRules => {
    const key = JSON.stringify([user.username, user.groups])
    let rules = remembered.get(key)
    if (rules === undefined) {
      rules = effectiveRules(source, user)
      if (remembered.size >= rememberedUsers) remembered.clear()
      remembered.set(key, rules)
    }
    return rules
  }

  return {
    rulesOf,
    authorize(user, attributes) {
      if (user.groups.includes('system:masters')) return allowed
      const { cluster, byNamespace } = rulesOf(user)
      if (cluster.some((rule) => allows(rule, attributes))) return allowed
      if (attributes.kind === 'nonResource' || attributes.namespace === undefined) return denied
      return byNamespace.get(attributes.namespace)?.some((rule) => allows(rule, attributes)) === true ? allowed : denied
    },
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]()
    },
  }
}
