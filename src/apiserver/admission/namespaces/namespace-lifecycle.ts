import { forbidden, notFound, StatusError } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin } from '../chain.ts'

/** Storage key of namespaces. */
const namespacesKey = '/namespaces'

/** Namespaces that cannot be deleted. */
export const immortalNamespaces: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/**
 * Refuses new objects in missing or terminating namespaces, and the deletion of system namespaces.
 */
export function createNamespaceLifecycle(store: ObjectStore): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    // Runs with the mutators, so that a missing namespace is reported before other errors.
    mutate({ operation, target }) {
      if (operation === 'CREATE') assertNamespaceAccepts(store, target)
      if (operation === 'DELETE' && isImmortal(target)) throw forbidden(target.definition, target.name, 'this namespace may not be deleted')
      return undefined
    },
  }
}

function isImmortal({ definition, name }: Target): boolean {
  return definition.storageKey === namespacesKey && immortalNamespaces.includes(name)
}

/** @throws StatusError 404 when the target's namespace is missing, 403 when it is being deleted */
export function assertNamespaceAccepts(store: ObjectStore, { definition, namespace, name }: Target): void {
  if (!definition.namespaced || namespace === undefined) return
  const entry = store.getPending(namespacesKey, '', namespace)
  if (entry === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  if (!isBeingDeleted(entry.object)) return
  const { status } = forbidden(definition, name, `unable to create new content in namespace ${namespace} because it is being terminated`)
  const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }
  throw new StatusError({ ...status, details: { ...status.details, causes: [cause] } })
}
