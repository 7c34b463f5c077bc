import type { Change, Interest } from './object-store.ts'

interface Subscriber {
  /** Changes up to this revision are not delivered. */
  readonly after: number
  readonly listener: (change: Change) => void
  readonly concerns: ((change: Change) => boolean) | undefined
}

/**
 * Subscribers of one resource by namespace and name. Those with a selection are kept apart, so that
 * ten thousand watches of a name cost one set each.
 */
interface Audience {
  readonly all: Map<string, Set<Subscriber>>
  /** By namespace and name, then by the key of the selection. */
  readonly selecting: Map<string, Map<string, Set<Subscriber>>>
}

/**
 * Key of an interest: everything, a namespace, a name in all namespaces, or one object. Neither
 * part can contain the separator.
 */
function placeOf({ namespace = '', name = '' }: Interest): string {
  return `${namespace}\0${name}`
}

const everywhere = placeOf({})

/** Subscribers by resource. */
export class Subscribers {
  readonly #byResource = new Map<string, Audience>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(resource: string, after: number, listener: (change: Change) => void, interest: Interest = {}): Disposable {
    const { selection } = interest
    const audience = getOrAdd(this.#byResource, resource, () => ({ all: new Map(), selecting: new Map() }))
    const place = placeOf(interest)
    const sets = selection === undefined ? audience.all : getOrAdd(audience.selecting, place, () => new Map<string, Set<Subscriber>>())
    const key = selection?.key ?? place
    const subscribers = getOrAdd(sets, key, () => new Set<Subscriber>())
    const subscriber = { after, listener, concerns: selection?.concerns }
    subscribers.add(subscriber)
    return {
      [Symbol.dispose]: () => {
        if (!subscribers.delete(subscriber) || subscribers.size > 0 || sets.get(key) !== subscribers) return
        sets.delete(key)
        if (sets.size === 0 && audience.selecting.get(place) === sets) audience.selecting.delete(place)
        const isDeserted = audience.all.size === 0 && audience.selecting.size === 0
        if (isDeserted && this.#byResource.get(resource) === audience) this.#byResource.delete(resource)
      },
    }
  }

  publish(change: Change): void {
    this.#publishTo(this.#byResource.get(change.resource), change)
    this.#publishTo(this.#byResource.get(''), change)
  }

  /** Calls one listener. Its exceptions do not affect the others. */
  deliver(listener: (change: Change) => void, change: Change): void {
    try {
      listener(change)
    } catch (error) {
      this.#onError(error)
    }
  }

  #publishTo(audience: Audience | undefined, change: Change): void {
    if (audience === undefined) return
    this.#tell(audience, everywhere, change)
    const places = audience.all.size + audience.selecting.size
    if (places === Number(audience.all.has(everywhere)) + Number(audience.selecting.has(everywhere))) return
    const { namespace = '', name = '' } = change.entry.object.metadata ?? {}
    if (namespace !== '') this.#tell(audience, placeOf({ namespace }), change)
    this.#tell(audience, placeOf({ name }), change)
    if (namespace !== '') this.#tell(audience, placeOf({ namespace, name }), change)
  }

  #tell({ all, selecting }: Audience, place: string, change: Change): void {
    // A listener may subscribe during the loop; `after` keeps this change from the new subscriber.
    this.#tellAll(all.get(place), change)
    const selections = selecting.get(place)
    if (selections === undefined) return
    for (const subscribers of selections.values()) if (this.#concerns(subscribers, change)) this.#tellAll(subscribers, change)
  }

  #tellAll(subscribers: ReadonlySet<Subscriber> | undefined, change: Change): void {
    if (subscribers === undefined) return
    for (const subscriber of subscribers) {
      if (change.revision > subscriber.after) this.deliver(subscriber.listener, change)
    }
  }

  #concerns(subscribers: ReadonlySet<Subscriber>, change: Change): boolean {
    const [spokesman] = subscribers
    if (spokesman?.concerns === undefined) return true
    try {
      return spokesman.concerns(change)
    } catch {
      // The listener evaluates the same selection, fails likewise, and reports it.
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
