import type { Amounts } from '#api/usage/pod-requests.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'

/** Resource, namespace and name of an object. */
export interface Place {
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Quota granted to requests that are not stored yet. */
export interface Charges {
  /**
   * Records what a request adds: by a new object (`isNew`) or by a change. A second request for the
   * same object replaces the first.
   */
  add(place: Place, quota: string, amounts: Amounts, isNew: boolean): void
  /** Sum granted from a quota to other objects. */
  total(quota: string, except: Place): Amounts
}

interface Charge {
  readonly place: Place
  readonly isNew: boolean
  readonly byQuota: Map<string, Amounts>
  readonly until: number
}

/** Exceeds the longest request. */
const keptMs = 60_000

/**
 * Keeps charges in memory: after a restart, requests that were granted and not stored do not exist.
 */
export function createCharges(store: ObjectStore, now: () => number): Charges {
  const charges = new Map<string, Charge>()
  // A stored object is counted as usage. If another request stored it, this one is retried.
  store.subscribe('', undefined, ({ resource, entry }) => {
    if (charges.size === 0) return
    const { namespace = '', name = '' } = entry.object.metadata ?? {}
    charges.delete(keyOf({ resource, namespace, name }))
  })
  const isStored = ({ resource, namespace, name }: Place): boolean => store.get(resource, namespace, name) !== undefined
  return {
    add(place, quota, amounts, isNew) {
      const key = keyOf(place)
      const byQuota = charges.get(key)?.byQuota ?? new Map<string, Amounts>()
      // Deleted and set again, so that the map stays in order of time.
      charges.delete(key)
      charges.set(key, { place, isNew, byQuota: byQuota.set(quota, amounts), until: now() + keptMs })
    },
    total(quota, except) {
      const sum = new Map<string, bigint>()
      for (const [key, { place, isNew, byQuota, until }] of charges) {
        if (until <= now()) charges.delete(key)
        // A new object whose name exists is going to be refused, so its charge does not count.
        else if (key !== keyOf(except) && !(isNew && isStored(place))) addTo(sum, byQuota.get(quota))
      }
      return sum
    },
  }
}

function keyOf({ resource, namespace, name }: Place): string {
  return `${resource} ${namespace}/${name}`
}

function addTo(sum: Map<string, bigint>, amounts: Amounts = new Map()): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0n) + amount)
}
