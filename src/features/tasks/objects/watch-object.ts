import { humanDuration } from '#apimachinery/age.ts'
import { isExpired, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { TransportError } from '#client/client.ts'
import { exitCodes, TaskFailed } from '../exit-codes.ts'
import type { TaskContext } from '../task.ts'
import { createNews, type WaitStep } from './news.ts'

/** Milliseconds between two tries to watch. */
const retryMs = 1_000

/** A wait for a state of one object. */
export interface ObjectWait<T extends KubeObject, R> {
  /** What is awaited, to be read after "waiting for". */
  readonly what: string
  readonly resource: ResourceType<T>
  readonly key: { readonly namespace: string; readonly name: string }
  readonly limitMs: number
  /** Sees the object as it is and each change, and undefined while there is none. */
  readonly check: (object: T | undefined) => WaitStep<R>
}

/**
 * Follows an object until it is as wanted, through outages of the API server. @throws TaskFailed at
 * the limit, StatusError, the signal's reason
 */
export async function waitForObject<T extends KubeObject, R>(
  context: Pick<TaskContext, 'client' | 'clock' | 'log' | 'signal'>,
  { what, resource, key, limitMs, check }: ObjectWait<T, R>,
): Promise<R> {
  const { client, clock, log } = context
  using news = createNews(context, what)
  const limit = new AbortController()
  using _limit = clock.after(limitMs, () =>
    limit.abort(
      new TaskFailed(exitCodes.waitFailed, `Waited ${humanDuration(limitMs)} for ${what} without success: ${news.last || 'no answer'}`),
    ),
  )
  const signal = AbortSignal.any([context.signal, limit.signal])
  const selection = { namespace: key.namespace, fieldSelector: `metadata.name=${key.name}`, signal }
  const see = (object: T | undefined): { readonly done: R } | undefined => {
    const step = check(object)
    if ('done' in step) return step
    news.tell(step.waiting)
    return undefined
  }
  for (;;) {
    signal.throwIfAborted()
    try {
      const { items, metadata } = await client.list(resource, selection)
      const first = see(items[0])
      if (first !== undefined) return first.done
      const from = metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }
      for await (const event of client.watch(resource, { ...selection, ...from })) {
        if (event.type === 'BOOKMARK') continue
        const next = see(event.type === 'DELETED' ? undefined : event.object)
        if (next !== undefined) return next.done
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      log(`The API server does not answer, and is asked again: ${(error as Error).message}`)
    }
    await clock.sleep(retryMs, signal)
  }
}

/** Reports whether a request is worth another try. */
export function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return true
  return error instanceof StatusError && (isExpired(error) || error.code >= 500 || error.code === 429)
}
