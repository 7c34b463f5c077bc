import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { immortalNamespaces } from '#apiserver/admission/namespaces/namespace-lifecycle.ts'
import type { RequestContext, Verbs } from '#apiserver/request/api-request.ts'
import { internalContext } from '#apiserver/request/internal-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'

/** System namespaces and priority classes. */
function initialObjects(): readonly KubeObject[] {
  const namespaces = immortalNamespaces.map((name): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  return [...namespaces, priorityClass('system-cluster-critical', 2_000_000_000), priorityClass('system-node-critical', 2_000_001_000)]
}

function priorityClass(name: string, value: number): KubeObject {
  const object: KubeObject & { value: number; description: string } = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description: `Used for system critical pods that must run ${name.includes('node') ? 'on their node' : 'in the cluster'}.`,
  }
  return object
}

/**
 * Creates missing system namespaces and priority classes. Call it before the server accepts
 * requests.
 */
export async function ensureInitialObjects({
  verbs,
  registry,
}: {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
}): Promise<void> {
  const context = internalContext('system:apiserver', 'apiserver')
  await Promise.all(initialObjects().map((object) => ensure(verbs, registry, object, context)))
}

async function ensure(verbs: Verbs, registry: ResourceRegistry, object: KubeObject, context: RequestContext): Promise<void> {
  const { group, version } = parseApiVersion(object.apiVersion ?? '')
  const definition = registry.findByKind(group, version, object.kind ?? '')
  if (definition === undefined) return
  const target = { definition, namespace: '', name: '', subresource: '' }
  try {
    await verbs.create(target, { object, duplicates: [] }, { dryRun: false, fieldValidation: 'Strict' }, context)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
