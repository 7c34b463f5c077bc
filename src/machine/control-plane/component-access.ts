import { componentRoleBinding, componentRoleName, componentRoles } from '#api/access/component-roles.ts'
import { frontProxyReader } from '#api/access/component-rules.ts'
import { systemLabels } from '#api/access/managed.ts'
import { roleBindings, roles } from '#api/rbac/v1/resources.ts'
import type { RoleBinding } from '#api/rbac/v1/role.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'

/**
 * Creates the initial roles of the components in their namespace. virt-operator maintains those of
 * the components that it installs. Idempotent.
 */
export async function ensureComponentAccess(client: Client, namespace: string): Promise<void> {
  await ensure(client, roleBindings, frontProxyBinding())
  await Promise.all(
    componentRoles(namespace).map(async (role) => {
      const isOurs = role.metadata.name === componentRoleName('virt-operator')
      await ensure(client, roles, role, isOurs)
      await ensure(client, roleBindings, componentRoleBinding(role.metadata), isOurs)
    }),
  )
}

function frontProxyBinding(): RoleBinding {
  const { component, role: name, namespace } = frontProxyReader
  const binding = componentRoleBinding({ name: componentRoleName(component), namespace, labels: systemLabels })
  return { ...binding, roleRef: { ...binding.roleRef, name } }
}

/** Without `isOurs`, an existing object is left unchanged. */
async function ensure<T extends KubeObject>(client: Client, resource: ResourceType<T>, wanted: T, isOurs = true): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata ?? {}
  const present = await found(client.get(resource, { namespace, name }))
  if (present === undefined) await client.create(resource, wanted)
  else if (isOurs && !semanticEqual({ ...present, ...wanted, metadata: present.metadata }, present))
    await client.patch(resource, { namespace, name }, { type: 'merge', body: wanted })
}
