import type { Namespace } from '#api/core/v1/namespace.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'

const contentFinalizer = 'kubernetes'
const nameLabel = 'kubernetes.io/metadata.name'

/**
 * Strategy of namespaces: `spec.finalizers` keep one until the namespace controller has emptied it;
 * sets the label `kubernetes.io/metadata.name`.
 */
export const namespaceStrategy: Strategy = {
  prepareForCreate(object) {
    const { spec } = object as Namespace
    const finalizers = [...new Set([...(spec?.finalizers ?? []), contentFinalizer])]
    const namespace: Namespace = { ...(labelled(object) as Namespace), spec: { ...spec, finalizers }, status: { phase: 'Active' } }
    return namespace
  },
  prepareForUpdate(object, old) {
    const { spec } = old as Namespace
    const next: Namespace = { ...(labelled(object) as Namespace), ...(spec === undefined ? {} : { spec }) }
    return next
  },
  markDeleting(object) {
    const namespace = object as Namespace
    const marked: Namespace = { ...namespace, status: { ...namespace.status, phase: 'Terminating' } }
    return marked
  },
  isHeld: (object) => ((object as Namespace).spec?.finalizers ?? []).length > 0,
}

function labelled(object: KubeObject): KubeObject {
  const { metadata = {} } = object
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [nameLabel]: metadata.name ?? '' } } }
}
