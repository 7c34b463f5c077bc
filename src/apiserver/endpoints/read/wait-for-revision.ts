import { tooLargeResourceVersion } from '#apimachinery/errors.ts'
import type { RequestContext } from '#apiserver/request/api-request.ts'
import type { Environment } from '../environment.ts'

const patienceMs = 3000
const pollMs = 20

/** Waits until the store has reached a revision. @throws StatusError 504 after three seconds */
export async function waitForRevision({ store, timers, now }: Environment, revision: number, context: RequestContext): Promise<void> {
  const deadline = now() + patienceMs
  while (store.revision < revision) {
    if (now() >= deadline) throw tooLargeResourceVersion(revision, store.revision)
    context.signal.throwIfAborted()
    await new Promise<void>((resolve) => timers.after(pollMs, resolve))
  }
}
