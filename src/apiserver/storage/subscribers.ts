import type { Change, Interest } from './object-store.ts'

interface Subscriber {
  /** Changes up to this revision are not news to it. */
  readonly after: number
  readonly listener: (change: Change) => void
  readonly concerns: ((change: Change) => boolean) | undefined
}

/** Subscribers to the same place, by the key of their selection; empty: they select nothing. */
type Audience = Map<string, Set<Subscriber>>

/** Everywhere, in one namespace, one name in all namespaces, one object. Neither namespaces nor names can contain the separator. */
function placeOf({ namespace = '', name = '' }: Interest): string {
  return `${namespace}\0${name}`
}

const everywhere = placeOf({})

/** Who is called back for which resource. */
export class Subscribers {
  readonly #byResource = new Map<string, Map<string, Audience>>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(resource: string, after: number, listener: (change: Change) => void, interest: Interest = {}): Disposable {
    const { selection } = interest
    const subscriber = { after, listener, concerns: selection?.concerns }
    const [place, key] = [placeOf(interest), selection?.key ?? '']
    const places = getOrAdd(this.#byResource, resource, () => new Map<string, Audience>())
    const audience = getOrAdd(places, place, () => new Map<string, Set<Subscriber>>())
    const subscribers = getOrAdd(audience, key, () => new Set<Subscriber>())
    subscribers.add(subscriber)
    return {
      [Symbol.dispose]: () => {
        if (!subscribers.delete(subscriber) || subscribers.size > 0 || audience.get(key) !== subscribers) return
        audience.delete(key)
        if (audience.size > 0 || places.get(place) !== audience) return
        places.delete(place)
        if (places.size === 0 && this.#byResource.get(resource) === places) this.#byResource.delete(resource)
      },
    }
  }

  publish(change: Change): void {
    this.#publishTo(this.#byResource.get(change.resource), change)
    this.#publishTo(this.#byResource.get(''), change)
  }

  /** Calls one listener; what it throws must not keep the others from their news. */
  deliver(listener: (change: Change) => void, change: Change): void {
    try {
      listener(change)
    } catch (error) {
      this.#onError(error)
    }
  }

  #publishTo(places: ReadonlyMap<string, Audience> | undefined, change: Change): void {
    if (places === undefined) return
    const all = places.get(everywhere)
    this.#tell(all, change)
    if (places.size === (all === undefined ? 0 : 1)) return
    const { namespace = '', name = '' } = change.entry.object.metadata ?? {}
    if (namespace !== '') this.#tell(places.get(placeOf({ namespace })), change)
    this.#tell(places.get(placeOf({ name })), change)
    if (namespace !== '') this.#tell(places.get(placeOf({ namespace, name })), change)
  }

  #tell(audience: Audience | undefined, change: Change): void {
    if (audience === undefined) return
    // A listener may subscribe: the sets then grow under these loops, and `after` keeps this change from the newcomer.
    for (const subscribers of audience.values()) {
      if (!this.#concerns(subscribers, change)) continue
      for (const subscriber of subscribers) {
        if (change.revision > subscriber.after) this.deliver(subscriber.listener, change)
      }
    }
  }

  #concerns(subscribers: ReadonlySet<Subscriber>, change: Change): boolean {
    const [spokesman] = subscribers
    if (spokesman?.concerns === undefined) return true
    try {
      return spokesman.concerns(change)
    } catch {
      // Whoever looks itself will fail the same way, and that is reported.
      return true
    }
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}
