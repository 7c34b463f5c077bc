import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'
import { queryUse, type GuestUse } from '../guest-agent/answers.ts'
import { askAgent } from '../guest-agent/ask-agent.ts'

/** Milliseconds after which an agent is asked anew. */
const longestAgeMs = 30_000

interface Asked {
  /** Time of the last question. */
  askedMs: number
  isWaiting: boolean
  answer?: GuestUse | undefined
}

/** Asks the agents of guests for what metrics show, and only while metrics are read. */
export interface AgentUseReader {
  /**
   * Returns what the agent last said; undefined before its first answer. A new answer is awaited in
   * the background: an agent that hangs delays no scrape.
   */
  latest(guest: Guest): GuestUse | undefined
}

/** Creates a reader. `ask` must not reject; undefined: there was no answer. */
export function createAgentUseReader(
  clock: Pick<Clock, 'now'>,
  ask: (guest: Guest) => Promise<GuestUse | undefined> = (guest) => askAgent(guest, queryUse).catch(() => undefined),
): AgentUseReader {
  const asked = new WeakMap<Guest, Asked>()
  return {
    latest(guest) {
      const known = asked.get(guest) ?? { askedMs: Number.NEGATIVE_INFINITY, isWaiting: false }
      asked.set(guest, known)
      if (!known.isWaiting && clock.now() - known.askedMs >= longestAgeMs) {
        known.isWaiting = true
        known.askedMs = clock.now()
        void ask(guest).then((answer) => {
          known.isWaiting = false
          known.answer = answer
        })
      }
      return known.answer
    },
  }
}
