import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { BindingObject, PolicyRule, RoleObject } from './policy.ts'
import { type PolicySource, rbacStorageKeys } from './rbac.ts'

const keys: Readonly<Record<string, string>> = {
  Role: rbacStorageKeys.roles,
  ClusterRole: rbacStorageKeys.clusterRoles,
  RoleBinding: rbacStorageKeys.roleBindings,
  ClusterRoleBinding: rbacStorageKeys.clusterRoleBindings,
}

/** A policy of these objects that can be extended. */
export function policyOf(objects: readonly KubeObject[]): PolicySource & { change(object: KubeObject): void } {
  const all = [...objects]
  const listeners: (() => void)[] = []
  const keyOf = (object: KubeObject): string => keys[object.kind ?? ''] ?? ''
  const entry = (object: KubeObject): Entry => ({ object, revision: 1, json: Buffer.alloc(0) })
  return {
    list: (key) => all.filter((object) => keyOf(object) === key).map(entry),
    get: (key, namespace, name) => {
      const found = all.find((o) => keyOf(o) === key && (o.metadata?.namespace ?? '') === namespace && o.metadata?.name === name)
      return found === undefined ? undefined : entry(found)
    },
    subscribe: (_key, _after, listener) => {
      listeners.push(listener as () => void)
      return { [Symbol.dispose]: () => {} }
    },
    change(object) {
      all.push(object)
      for (const listener of listeners) listener()
    },
  }
}

/** A ClusterRole; with a namespace, a Role. */
export function role(name: string, rules: readonly PolicyRule[], namespace?: string): RoleObject {
  return {
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    rules,
  }
}

/** A binding of `Kind/name` to subjects `Kind/name`; without namespace, in the whole cluster. */
export function binding(name: string, roleRef: string, subjects: readonly string[], namespace?: string): BindingObject {
  const split = (text: string): { kind: string; name: string } => ({
    kind: text.slice(0, text.indexOf('/')),
    name: text.slice(text.indexOf('/') + 1),
  })
  return {
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: split(roleRef),
    subjects: subjects.map(split),
  }
}
