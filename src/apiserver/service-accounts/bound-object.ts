import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { ObjectIdentity, TokenSubject } from './claims.ts'

/**
 * Milliseconds for which the tokens of an object are still good after its time to go has come: what
 * runs there has its last words to say.
 */
const lastWordsMs = 60_000

/** Storage keys of what a token depends on. */
export const subjectKeys = { serviceaccount: '/serviceaccounts', pod: '/pods', secret: '/secrets', node: '/nodes' } as const

/**
 * Why a token is no longer good although its time is not over; undefined when all that it depends
 * on is there. Reads memory only.
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
    // With a pod, the node only says where it runs.
    (subject.pod === undefined && subject.node?.uid !== undefined
      ? check('node', { name: subject.node.name, uid: subject.node.uid })
      : undefined)
  )
}
