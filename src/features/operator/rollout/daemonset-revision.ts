import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { controllerRevisions, daemonSets } from '#api/apps/v1/resources.ts'
import type { GenerationStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'

/** Label of a DaemonSet's pods and ControllerRevisions with the hash of the template. */
const hashLabel = 'controller-revision-hash'

/**
 * Reports whether a pod was created from the template with this hash. A pod without the label, or
 * an unknown hash, counts as a match. Pure.
 */
export function matchesTemplateHash(
  pod: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } },
  hash: string | undefined,
): boolean {
  return hash === undefined || (pod.metadata.labels?.[hashLabel] ?? hash) === hash
}

/**
 * Returns a function that reads the hash of pods which are created from the node agents' DaemonSet
 * as the operator applied it. Annotations do not tell: an edited template keeps them. Images do not
 * either, because clusters may rewrite them. The hash is undefined while the DaemonSet is edited or
 * its controller has not observed the latest generation.
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
    // The DaemonSet controller creates the revision before it reports the generation as observed,
    // so this list is not older.
    const { items } = await client.list(controllerRevisions, { namespace, signal })
    const own = items.filter((revision) => isOwnedBy(revision, { metadata: { uid } }))
    const hash = own.toSorted((a, b) => b.revision - a.revision)[0]?.metadata.labels?.[hashLabel]
    if (hash !== undefined) last = { of, hash }
    return hash
  }
}
