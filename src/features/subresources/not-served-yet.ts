import { notImplemented } from '#apimachinery/errors.ts'
import type { AggregatedResource, Method } from '#runtime/aggregated/aggregated-group.ts'

const noDump = 'The memory of a guest is not dumped yet'

type Alternatives = Readonly<Record<string, readonly [method: Method, alternative: string]>>

/** Subresources of KubeVirt's VMs that are not served, and what to do instead. */
const ofVms: Alternatives = {
  memorydump: ['PUT', noDump],
  removememorydump: ['PUT', noDump],
}

/** Subresources without an object. */
const ofCluster: Alternatives = {
  guestfs: [
    'GET',
    'Images have no guestfish: change a disk by the task disk-virt-customize, or open that of a stopped VM with "guestfish" on its machine',
  ],
}

/** Lists the alternatives to subresources that are not served, by `resource/subresource`. */
export function alternatives(): readonly (readonly [name: string, alternative: string])[] {
  const below = (prefix: string, list: Alternatives) =>
    Object.entries(list).map(([name, [, alternative]]) => [`${prefix}${name}`, alternative] as const)
  return [...below('virtualmachines/', ofVms), ...below('', ofCluster)]
}

/**
 * KubeVirt's subresources that are not served yet. Clients get 501 with the alternative, where 404
 * would say that the object does not exist.
 */
export const notServedYet: readonly AggregatedResource[] = [
  ...subresourcesOf('virtualmachines', 'VirtualMachine', ofVms),
  ...Object.entries(ofCluster).map(([resource, [method, alternative]]) => ({
    resource,
    namespaced: false,
    responseKind: { group: 'subresources.kubevirt.io', version: 'v1', kind: 'Status' },
    handlers: refusing(resource, method, alternative),
  })),
]

function subresourcesOf(resource: string, kind: string, alternatives: Alternatives): readonly AggregatedResource[] {
  return Object.entries(alternatives).map(([subresource, [method, alternative]]) => ({
    resource,
    subresource,
    responseKind: { group: 'kubevirt.io', version: 'v1', kind },
    handlers: refusing(`${resource}/${subresource}`, method, alternative),
  }))
}

function refusing(what: string, method: Method, alternative: string): AggregatedResource['handlers'] {
  return {
    [method]: async () => {
      throw notImplemented(`${what} is not served yet. ${alternative}`)
    },
  }
}
