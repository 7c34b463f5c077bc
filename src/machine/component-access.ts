import { componentRoleName, componentRoles } from '#api/access/component-roles.ts'
import { frontProxyReader } from '#api/access/component-rules.ts'
import { roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'

/** Gives the components what they may do in their namespace, to begin with: from then on virt-operator keeps the roles of those that it installs. Safe to be cut anywhere and run again. */
export async function ensureComponentAccess(client: Client, namespace: string): Promise<void> {
  await bind(client, frontProxyReader.namespace, componentRoleName(frontProxyReader.component), frontProxyReader.role)
  await Promise.all(
    componentRoles(namespace).map(async (role) => {
      const { name = '' } = role.metadata
      await ensure(client, roles, role, name === componentRoleName('virt-operator'))
      await bind(client, namespace, name, name)
    }),
  )
}

const group = 'rbac.authorization.k8s.io'
const labels = { 'app.kubernetes.io/part-of': 'steadyvm' }

function bind(client: Client, namespace: string, user: string, role: string): Promise<void> {
  return ensure(client, roleBindings, {
    apiVersion: `${group}/v1`,
    kind: 'RoleBinding',
    metadata: { name: user, namespace, labels },
    roleRef: { apiGroup: group, kind: 'Role', name: role },
    subjects: [{ apiGroup: group, kind: 'User', name: user }],
  })
}

/** Without `isOurs`, what is there is left as it is. */
async function ensure<T extends KubeObject>(client: Client, resource: ResourceType<T>, wanted: T, isOurs = true): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata ?? {}
  const present = await found(client.get(resource, { namespace, name }))
  if (present === undefined) await client.create(resource, wanted)
  else if (isOurs && !semanticEqual({ ...present, ...wanted, metadata: present.metadata }, present))
    await client.patch(resource, { namespace, name }, { type: 'merge', body: wanted })
}
