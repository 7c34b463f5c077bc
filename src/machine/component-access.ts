import { componentRules, frontProxyReader } from '#api/access/component-rules.ts'
import { roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'

/** Gives the components what they may do in their namespace. Safe to be cut anywhere and run again. */
export async function ensureComponentAccess(client: Client, namespace: string): Promise<void> {
  await bind(client, frontProxyReader.namespace, userOf(frontProxyReader.component), frontProxyReader.role)
  await Promise.all(
    Object.entries(componentRules).map(async ([component, { namespace: granted }]) => {
      if (granted.length === 0) return
      const name = userOf(component)
      const role = { apiVersion: `${group}/v1`, kind: 'Role', metadata: { name, namespace, labels }, rules: [...granted] }
      await ensure(client, roles, role)
      await bind(client, namespace, name, name)
    }),
  )
}

const group = 'rbac.authorization.k8s.io'
const labels = { 'app.kubernetes.io/part-of': 'steadyvm' }

function userOf(component: string): string {
  return `system:steadyvm:${component}`
}

function bind(client: Client, namespace: string, user: string, role: string): Promise<void> {
  return ensure(client, roleBindings, {
    apiVersion: `${group}/v1`,
    kind: 'RoleBinding',
    metadata: { name: user, namespace, labels },
    roleRef: { apiGroup: group, kind: 'Role', name: role },
    subjects: [{ apiGroup: group, kind: 'User', name: user }],
  })
}

async function ensure<T extends KubeObject>(client: Client, resource: ResourceType<T>, wanted: T): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata ?? {}
  const present = await found(client.get(resource, { namespace, name }))
  if (present === undefined) await client.create(resource, wanted)
  else if (!semanticEqual({ ...present, ...wanted, metadata: present.metadata }, present))
    await client.patch(resource, { namespace, name }, { type: 'merge', body: wanted })
}
