import type { Amounts } from '#api/usage/pod-requests.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'

/** Where an object lies. */
export interface Place {
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** What was granted to requests that are not stored yet. */
export interface Charges {
  /**
   * Remembers what a request adds, by an object that is `isNew` or by its change. A second request
   * for the same object replaces the first.
   */
  add(place: Place, quota: string, amounts: Amounts, isNew: boolean): void
  /** Sum of what others than this object were granted of a quota. */
  total(quota: string, except: Place): Amounts
}

interface Charge {
  readonly place: Place
  readonly isNew: boolean
  readonly byQuota: Map<string, Amounts>
  readonly until: number
}

/** Longer than any request takes. */
const keptMs = 60_000

/** In memory only: whatever was granted and not stored before a restart will never be. */
export function createCharges(store: ObjectStore, now: () => number): Charges {
  const charges = new Map<string, Charge>()
  // What is stored counts by itself from now on. Should somebody else have written, the request
  // starts over.
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
      // Put last, so that the map stays in the order of time.
      charges.delete(key)
      charges.set(key, { place, isNew, byQuota: byQuota.set(quota, amounts), until: now() + keptMs })
    },
    total(quota, except) {
      const sum = new Map<string, bigint>()
      for (const [key, { place, isNew, byQuota, until }] of charges) {
        if (until <= now()) charges.delete(key)
        // A new object that is there already is not going to be made: its request is refused, and
        // nobody says so here.
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
