import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Selection } from '#client/client.ts'
import { aborted } from '../clock/abort.ts'
import type { Runnable } from '../manager/runnable.ts'
import { createInformer } from './informer.ts'
import type { InformerOptions, RunnableInformer } from './informer.ts'
import type { Informer } from './lister.ts'

/** Options shared by all informers of a set. */
export type InformerSetOptions = Omit<InformerOptions<KubeObject>, 'resource' | 'selection'>

/** Informers shared by all parts of a process, so that it never watches the same thing twice. */
export interface InformerSet extends Runnable {
  /**
   * Returns the informer of a resource, created at first use. May be called before or after the
   * start.
   */
  informer<T extends KubeObject>(resource: ResourceType<T>, selection?: Selection): Informer<T>
  /** Resolves when all informers of the set have their first list. */
  synced(signal?: AbortSignal): Promise<void>
  readonly hasSynced: boolean
}

/** Creates an empty set. It runs the informers that it creates. */
export function createInformerSet(options: InformerSetOptions): InformerSet {
  return new SharedInformers(options)
}

class SharedInformers implements InformerSet {
  readonly #options: InformerSetOptions
  readonly #informers = new Map<string, RunnableInformer<KubeObject>>()
  readonly #running: Promise<void>[] = []
  #signal: AbortSignal | undefined

  constructor(options: InformerSetOptions) {
    this.#options = options
  }

  get hasSynced(): boolean {
    return [...this.#informers.values()].every((informer) => informer.hasSynced)
  }

  informer<T extends KubeObject>(resource: ResourceType<T>, selection: Selection = {}): Informer<T> {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = selection
    const key = JSON.stringify([apiVersionOf(resource), resource.plural, namespace, labelSelector, fieldSelector])
    const known = this.#informers.get(key)
    // The key contains the resource, so the type is the requested one.
    if (known !== undefined) return known as unknown as Informer<T>
    const made = createInformer<KubeObject>({ ...this.#options, resource, selection })
    this.#informers.set(key, made)
    if (this.#signal !== undefined) this.#running.push(made.run(this.#signal))
    return made as unknown as Informer<T>
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced(signal)))
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const informer of this.#informers.values()) this.#running.push(informer.run(signal))
    await aborted(signal)
    await Promise.all(this.#running)
  }
}
