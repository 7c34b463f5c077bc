import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './role.ts'

/** `/apis/rbac.authorization.k8s.io/v1/roles` */
export const roles: ResourceType<Role> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
}

/** `/apis/rbac.authorization.k8s.io/v1/clusterroles` */
export const clusterRoles: ResourceType<ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
}

/** `/apis/rbac.authorization.k8s.io/v1/rolebindings` */
export const roleBindings: ResourceType<RoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
}

/** `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings` */
export const clusterRoleBindings: ResourceType<ClusterRoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
}
