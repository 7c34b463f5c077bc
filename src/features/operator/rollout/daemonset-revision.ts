import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { controllerRevisions, daemonSets } from '#api/apps/v1/resources.ts'
import type { GenerationStatus } from '#api/kubevirt/v1/kubevirt.ts'
import type { Client } from '#client/client.ts'

/**
 * Label that a DaemonSet's pods and its revisions share: it stands for the content of the template.
 */
const hashLabel = 'controller-revision-hash'

/**
 * Whether a pod was made from the template that a hash stands for. One that does not say so is
 * believed. Pure.
 */
export function matchesTemplateHash(
  pod: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } },
  hash: string | undefined,
): boolean {
  return hash === undefined || (pod.metadata.labels?.[hashLabel] ?? hash) === hash
}

/**
 * Makes what says which hash the pods of the node agents' DaemonSet have when they are made from
 * its template as the operator has applied it. A template that somebody edits keeps its
 * annotations, and pods made from it would pass for new ones; their images are no proof, because
 * clusters may rewrite them. Undefined as long as the DaemonSet is edited, or its controller has
 * not seen it: then nobody knows.
 */
export function createTemplateHashReader(
  client: Pick<Client, 'list'>,
): (daemonSet: DaemonSet | undefined, recorded: readonly GenerationStatus[], signal: AbortSignal) => Promise<string | undefined> {
  let last: { readonly of: string; readonly hash: string } | undefined
  return async (daemonSet, recorded, signal) => {
    const { uid = '', name = '', namespace = '', generation } = daemonSet?.metadata ?? {}
    const row = recorded.find((one) => one.resource === daemonSets.plural && one.name === name)
    if (generation === undefined || row?.lastGeneration !== generation || daemonSet?.status?.observedGeneration !== generation)
      return undefined
    const of = `${uid}/${generation}`
    if (last?.of === of) return last.hash
    // Its controller writes down the revision before it says what it has seen: what is read now is
    // not older.
    const { items } = await client.list(controllerRevisions, { namespace, signal })
    const own = items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
    const hash = own.toSorted((a, b) => b.revision - a.revision)[0]?.metadata.labels?.[hashLabel]
    if (hash !== undefined) last = { of, hash }
    return hash
  }
}
