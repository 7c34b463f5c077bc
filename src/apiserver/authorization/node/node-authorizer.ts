import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AccessAttributes, Authorizer } from '../authorizer.ts'
import { kubeletNode } from './node-identity.ts'
import { referencesOf } from './pod-references.ts'

/** Resources that a kubelet may read only for its own pods. */
const byReference: ReadonlySet<string> = new Set(['secrets', 'configmaps', 'persistentvolumeclaims', 'serviceaccounts'])

type ResourceAttributes = Extract<AccessAttributes, { kind: 'resource' }>

function isWanted({ verb, group, resource, subresource, name, namespace }: ResourceAttributes): boolean {
  if (group !== '' || name === '') return false
  if (resource === 'persistentvolumes') return verb === 'get' && subresource === ''
  if (namespace === undefined || !byReference.has(resource)) return false
  // A watch of one object is a list by its name.
  return subresource === ''
    ? verb === 'get' || verb === 'list' || verb === 'watch'
    : verb === 'create' && resource === 'serviceaccounts' && subresource === 'token'
}

/**
 * Allows a kubelet to read the objects that its own pods refer to: secrets, ConfigMaps, claims,
 * volumes, service accounts and their tokens. Delegates everything else to `next`. A compromised
 * node so exposes only the secrets of its own pods.
 */
export function createNodeAuthorizer(store: Pick<ObjectStore, 'list'>, next: Authorizer): Authorizer {
  const podsOf = (node: string, namespace: string | undefined): readonly Pod[] =>
    store
      .list('/pods', namespace)
      .map(({ object }) => object as Pod)
      .filter(({ spec }) => spec.nodeName === node)

  const mayRead = (node: string, { resource, namespace, name }: ResourceAttributes): boolean => {
    if (resource !== 'persistentvolumes') return podsOf(node, namespace).some((pod) => referencesOf(pod).has(`${resource}/${name}`))
    const claims = store.list('/persistentvolumeclaims').map(({ object }) => object as PersistentVolumeClaim)
    const bound = claims.filter(({ spec }) => spec?.volumeName === name)
    return bound.some(({ metadata }) =>
      podsOf(node, metadata.namespace).some((pod) => referencesOf(pod).has(`persistentvolumeclaims/${metadata.name ?? ''}`)),
    )
  }

  return (user, attributes) => {
    if (attributes.kind === 'nonResource' || !isWanted(attributes)) return next(user, attributes)
    const node = kubeletNode(user)
    if (node === undefined || !mayRead(node, attributes)) return next(user, attributes)
    return { allowed: true, reason: `node ${JSON.stringify(node)} runs a pod that refers to it` }
  }
}
