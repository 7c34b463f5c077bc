import { notImplemented } from '#apimachinery/errors.ts'
import type { AggregatedResource } from '#runtime/aggregated/aggregated-group.ts'

/** Subresources that are not served, all by GET and without an object, and what to do instead. */
const ofCluster: Readonly<Record<string, string>> = {
  guestfs:
    'Images have no guestfish: change a disk by the task disk-virt-customize, or open that of a stopped VM with "guestfish" on its machine',
}

/** Lists the alternatives to subresources that are not served, by `resource/subresource`. */
export function alternatives(): readonly (readonly [name: string, alternative: string])[] {
  return Object.entries(ofCluster)
}

/**
 * KubeVirt's subresources that are not served yet. Clients get 501 with the alternative, where 404
 * would say that the object does not exist.
 */
export const notServedYet: readonly AggregatedResource[] = Object.entries(ofCluster).map(([resource, alternative]) => ({
  resource,
  namespaced: false,
  responseKind: { group: 'subresources.kubevirt.io', version: 'v1', kind: 'Status' },
  handlers: {
    GET: async () => {
      throw notImplemented(`${resource} is not served yet. ${alternative}`)
    },
  },
}))
