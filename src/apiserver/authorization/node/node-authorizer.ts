import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AccessAttributes, Authorizer } from '../authorizer.ts'
import { kubeletNode } from './node-identity.ts'
import { referencesOf } from './pod-references.ts'

/** What a kubelet reads only for its own pods, and how. */
const byReference: ReadonlySet<string> = new Set(['secrets', 'configmaps', 'persistentvolumeclaims', 'serviceaccounts'])

type ResourceAttributes = Extract<AccessAttributes, { kind: 'resource' }>

function isWanted({ verb, group, resource, subresource, name, namespace }: ResourceAttributes): boolean {
  if (group !== '' || name === '') return false
  if (resource === 'persistentvolumes') return verb === 'get' && subresource === ''
  if (namespace === undefined || !byReference.has(resource)) return false
  // Watching one object is listing it by its name.
  return subresource === ''
    ? verb === 'get' || verb === 'list' || verb === 'watch'
    : verb === 'create' && resource === 'serviceaccounts' && subresource === 'token'
}

/**
 * Lets a kubelet read what its own pods refer to: secrets, ConfigMaps, claims and their volumes,
 * accounts and their tokens. Everything else is asked of `next`. A node that was taken over so
 * gives away the secrets of its own pods, and no others.
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
