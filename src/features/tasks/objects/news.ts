import type { TaskContext } from '../task.ts'

/** What a wait has found: its value, or why it goes on. */
export type WaitStep<T> = { readonly done: T } | { readonly waiting: string }

/** Prints why a wait goes on: at each change, and from time to time. */
export interface News extends Disposable {
  readonly last: string
  readonly tell: (text: string) => void
}

/** Milliseconds after which a wait without news says that it goes on. */
const reminderMs = 30_000

/** Makes the news of one wait. Dispose it at the end of the wait. */
export function createNews({ clock, log }: Pick<TaskContext, 'clock' | 'log'>, what: string): News {
  let last = ''
  let reminder: Disposable | undefined
  const print = (): void => {
    log(`Waiting for ${what}${last === '' ? '' : `: ${last}`}`)
    remind()
  }
  const remind = (): void => {
    reminder?.[Symbol.dispose]()
    reminder = clock.after(reminderMs, print)
  }
  remind()
  return {
    get last() {
      return last
    },
    tell(text) {
      if (text === last) return
      last = text
      print()
    },
    [Symbol.dispose]: () => reminder?.[Symbol.dispose](),
  }
}
