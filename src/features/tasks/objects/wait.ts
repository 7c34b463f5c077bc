import { humanDuration } from '#apimachinery/age.ts'
import { exitCodes, TaskFailed } from '../exit-codes.ts'
import type { TaskContext } from '../task.ts'
import { createNews, type WaitStep } from './news.ts'
import { isPassing } from './watch-object.ts'

/** A wait of a task. */
export interface Wait<T> {
  /** What is awaited, to be read after "waiting for". */
  readonly what: string
  readonly limitMs: number
  /** Default: one second. */
  readonly intervalMs?: number
  readonly check: () => Promise<WaitStep<T>>
}

/**
 * Checks again and again. An API server that cannot be reached or is busy is news, not an end.
 * @throws TaskFailed at the limit, the signal's reason
 */
export async function waitFor<T>(context: Pick<TaskContext, 'clock' | 'log' | 'signal'>, wait: Wait<T>): Promise<T> {
  const { clock, signal } = context
  const { what, limitMs, intervalMs = 1_000 } = wait
  using news = createNews(context, what)
  const end = clock.now() + limitMs
  for (;;) {
    signal.throwIfAborted()
    const step = await wait.check().catch(unlessFinal)
    if ('done' in step) return step.done
    const left = end - clock.now()
    if (left <= 0)
      throw new TaskFailed(exitCodes.waitFailed, `Waited ${humanDuration(limitMs)} for ${what} without success: ${step.waiting}`)
    news.tell(step.waiting)
    await clock.sleep(Math.min(intervalMs, left), signal)
  }
}

/** @throws the error if it is final */
function unlessFinal(error: unknown): { readonly waiting: string } {
  if (!isPassing(error)) throw error
  return { waiting: `the API server does not answer (${(error as Error).message})` }
}
