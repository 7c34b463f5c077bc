import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'

/**
 * An informer whose objects are seen through `view`, which must give the same result for the same
 * object.
 */
export function mapInformer<A extends KubeObject, B extends KubeObject>(informer: Informer<A>, view: (object: A) => B): Informer<B> {
  return {
    get(namespace, name) {
      const object = informer.get(namespace, name)
      return object === undefined ? undefined : view(object)
    },
    list: (namespace) => informer.list(namespace).map(view),
    byIndex: (index, value) => informer.byIndex(index, value).map(view),
    onEvent: (listener) => informer.onEvent((event) => listener(viewEvent(event, view))),
    addIndex: (name, index) => informer.addIndex(name, (object) => index(view(object))),
    synced: (signal) => informer.synced(signal),
    get hasSynced() {
      return informer.hasSynced
    },
  }
}

function viewEvent<A, B>(event: CacheEvent<A>, view: (object: A) => B): CacheEvent<B> {
  const object = view(event.object)
  return event.type === 'updated' ? { type: 'updated', object, old: view(event.old) } : { type: event.type, object }
}
