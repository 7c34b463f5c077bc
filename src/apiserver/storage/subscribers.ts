import type { Change } from './object-store.ts'

interface Subscriber {
  /** Changes up to this revision are not news to it. */
  readonly after: number
  readonly listener: (change: Change) => void
}

/** Who is called back for which resource. */
export class Subscribers {
  readonly #byResource = new Map<string, Set<Subscriber>>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(resource: string, after: number, listener: (change: Change) => void): Disposable {
    const subscriber = { after, listener }
    const subscribers = this.#byResource.get(resource) ?? new Set()
    this.#byResource.set(resource, subscribers.add(subscriber))
    return {
      [Symbol.dispose]: () => {
        if (subscribers.delete(subscriber) && subscribers.size === 0 && this.#byResource.get(resource) === subscribers) {
          this.#byResource.delete(resource)
        }
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

  #publishTo(subscribers: Set<Subscriber> | undefined, change: Change): void {
    if (subscribers === undefined) return
    // A listener may subscribe: the set then grows under this loop, and `after` keeps this change from the newcomer.
    for (const subscriber of subscribers) {
      if (change.revision > subscriber.after) this.deliver(subscriber.listener, change)
    }
  }
}
