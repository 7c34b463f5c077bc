import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { TaskDefinition } from '../task.ts'

/**
 * Renders what a task may do, without a namespace: a service account `NAME-task`, a role with what
 * the task uses, and their binding, by upstream's names. Pure.
 */
export function accessOf({ name, rules }: TaskDefinition): readonly KubeObject[] {
  const metadata = { name: `${name}-task` }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef,
      subjects: [{ kind: 'ServiceAccount', name: metadata.name }],
    },
  ] as readonly KubeObject[]
}
