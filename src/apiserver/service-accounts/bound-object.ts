import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { ObjectIdentity, TokenSubject } from './claims.ts'

/**
 * Milliseconds for which tokens of an object stay valid after its deletionTimestamp, for its
 * shutdown.
 */
const lastWordsMs = 60_000

/** Storage keys of the objects that tokens are bound to. */
export const subjectKeys = { serviceaccount: '/serviceaccounts', pod: '/pods', secret: '/secrets', node: '/nodes' } as const

/**
 * Returns why the object of a token is missing; undefined when everything exists. Reads memory
 * only.
 */
export function missingBoundObject(store: Pick<ObjectStore, 'get'>, subject: TokenSubject, nowMs: number): string | undefined {
  const check = (kind: keyof typeof subjectKeys, identity: ObjectIdentity | undefined): string | undefined => {
    if (identity === undefined) return undefined
    const metadata = store.get(subjectKeys[kind], kind === 'node' ? '' : subject.namespace, identity.name)?.object.metadata
    if (metadata === undefined) return `${kind} ${identity.name} of the token does not exist`
    if (metadata.uid !== identity.uid) return `${kind} ${identity.name} of the token was deleted and made again`
    const ending = metadata.deletionTimestamp
    return ending !== undefined && Date.parse(ending) + lastWordsMs < nowMs
      ? `${kind} ${identity.name} of the token is being deleted`
      : undefined
  }
  return (
    check('serviceaccount', subject.serviceaccount) ??
    check('pod', subject.pod) ??
    check('secret', subject.secret) ??
    // With a pod, the node is informational.
    (subject.pod === undefined && subject.node?.uid !== undefined
      ? check('node', { name: subject.node.name, uid: subject.node.uid })
      : undefined)
  )
}
