import type { ConfigMap } from '#api/core/v1/config-map.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import type { BindingObject, RoleObject } from '#apiserver/authorization/policy.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'

/** Configuration from which extension API servers learn whom to trust. */
export interface AuthenticationConfig {
  /** CAs of clients. PEM. */
  readonly clientCa: string
  /** CA of front proxies. PEM; undefined: none. */
  readonly requestHeaderCa: string | undefined
}

const namespace = 'kube-system'
const name = 'extension-apiserver-authentication'
const readerName = `${name}-reader`
const rbacGroup = 'rbac.authorization.k8s.io'

/** Names of the identity headers in the ConfigMap's format. */
function requestHeaderData(ca: string): Record<string, string> {
  return {
    'requestheader-allowed-names': '[]',
    'requestheader-client-ca-file': ca,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  }
}

function configMap({ clientCa, requestHeaderCa }: AuthenticationConfig): ConfigMap {
  const data = { 'client-ca-file': clientCa, ...(requestHeaderCa === undefined ? {} : requestHeaderData(requestHeaderCa)) }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }
}

function role(): RoleObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'Role',
    metadata: bootstrapMetadata(readerName),
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['get', 'list', 'watch'] }],
  }
}

function binding(): BindingObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'RoleBinding',
    metadata: bootstrapMetadata(`system::${readerName}`),
    roleRef: { apiGroup: rbacGroup, kind: 'Role', name: readerName },
    subjects: ['system:kube-controller-manager', 'system:kube-scheduler'].map((user) => ({
      apiGroup: rbacGroup,
      kind: 'User',
      name: user,
    })),
  }
}

function bootstrapMetadata(objectName: string): NonNullable<KubeObject['metadata']> {
  return {
    name: objectName,
    namespace,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  }
}

/**
 * Publishes the ConfigMap `kube-system/extension-apiserver-authentication` and the role to read it.
 * Keys of other writers are kept.
 */
export async function publishAuthenticationConfig(verbs: Verbs, registry: ResourceRegistry, config: AuthenticationConfig): Promise<void> {
  const context = internalContext('system:apiserver', 'apiserver')

  const ensure = async (object: KubeObject, merge: (found: KubeObject) => KubeObject): Promise<void> => {
    const { group, version } = parseApiVersion(object.apiVersion ?? '')
    const definition = registry.findByKind(group, version, object.kind ?? '')
    if (definition === undefined) return
    const target = { definition, namespace, name: object.metadata?.name ?? '', subresource: '' }
    try {
      const found = (await verbs.get(target, context)).object
      const next = merge(found)
      if (!deepEqual(found, next)) await verbs.update(target, { object: next, duplicates: [] }, internalMutation, context)
    } catch (error) {
      if (!isNotFound(error)) throw error
      await verbs.create({ ...target, name: '' }, { object, duplicates: [] }, internalMutation, context)
    }
  }

  const wanted = configMap(config)
  await Promise.all([
    ensure(wanted, (found) => {
      const merged: ConfigMap = { ...(found as ConfigMap), data: { ...(found as ConfigMap).data, ...wanted.data } }
      return merged
    }),
    // Created when missing; changes of administrators are kept.
    ensure(role(), (found) => found),
    ensure(binding(), (found) => found),
  ])
}
