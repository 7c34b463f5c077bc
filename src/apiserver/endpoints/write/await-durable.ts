import { internalError } from '#apimachinery/errors.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import type { Environment } from '../environment.ts'

/**
 * Waits until an entry that was read from the queue of writes is committed: a client must not see a
 * state that can still be lost.
 */
export async function awaitDurable({ store }: Environment, { definition, namespace = '', name }: Target, entry: Entry): Promise<Entry> {
  while (store.revision < entry.revision) {
    const pending = store.getPending(definition.storageKey, namespace, name)
    if (pending === undefined || pending.revision < entry.revision) throw internalError('the write that this one builds on failed')
    // The queue is committed in the next turn of the event loop.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return entry
}
