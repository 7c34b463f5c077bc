import { isNotFound } from '#apimachinery/errors.ts'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import { roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'

const read = ['get', 'list', 'watch']

/** What components may do in their own namespace only: there lie keys. By name of the component. */
const rules: Readonly<Record<string, readonly PolicyRule[]>> = {
  // It makes the certificates of the others.
  'virt-operator': [{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: [...read, 'create', 'patch'] }],
  'virt-api': [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['kubevirt-virt-api-certs'], verbs: read }],
}

/** Gives the components what they may do in their namespace. Safe to be cut anywhere and run again. */
export async function ensureComponentAccess(client: Client, namespace: string): Promise<void> {
  await Promise.all(
    Object.entries(rules).map(async ([component, granted]) => {
      const name = `system:steadyvm:${component}`
      const metadata = { name, namespace, labels: { 'app.kubernetes.io/part-of': 'steadyvm' } }
      const group = 'rbac.authorization.k8s.io'
      await ensure(client, roles, { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules: [...granted] })
      await ensure(client, roleBindings, {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: group, kind: 'Role', name },
        subjects: [{ apiGroup: group, kind: 'User', name }],
      })
    }),
  )
}

async function ensure<T extends KubeObject>(client: Client, resource: ResourceType<T>, wanted: T): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata ?? {}
  const present = await client.get(resource, { namespace, name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  if (present === undefined) await client.create(resource, wanted)
  else if (!semanticEqual({ ...present, ...wanted, metadata: present.metadata }, present))
    await client.patch(resource, { namespace, name }, { type: 'merge', body: wanted })
}
