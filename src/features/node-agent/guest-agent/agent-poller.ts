import { deepEqual } from '#apimachinery/equality.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'
import { askAgent } from './ask-agent.ts'
import { queryFacts, type GuestFacts } from './answers.ts'

/** Asks the agents of guests for what the status of their VMIs shows. */
export interface AgentPoller extends Disposable {
  /**
   * Returns what the agent last said; undefined before its first answer. Asks in the background: an
   * agent that hangs delays nothing.
   */
  factsOf(guest: Guest): GuestFacts | undefined
  /** Stops asking a guest that has no agent, or is gone. */
  forget(guest: Pick<Guest, 'podUid'>): void
}

/** Milliseconds between two questions to an agent. A guest changes its addresses rarely. */
const intervalMs = 30_000

interface Polled {
  facts?: GuestFacts
  timer?: Disposable
}

/** Creates the poller of a node. */
export function createAgentPoller(clock: Clock): AgentPoller {
  const polled = new Map<string, Polled>()
  async function ask(guest: Guest, entry: Polled): Promise<void> {
    const facts = await askAgent(guest, queryFacts).catch(() => entry.facts)
    if (polled.get(guest.podUid) !== entry) return
    entry.timer = clock.after(intervalMs, () => void ask(guest, entry))
    if (facts === undefined || deepEqual(facts, entry.facts)) return
    entry.facts = facts
    guest.changed()
  }
  return {
    factsOf(guest) {
      const known = polled.get(guest.podUid)
      if (known !== undefined) return known.facts
      const entry: Polled = {}
      polled.set(guest.podUid, entry)
      void ask(guest, entry)
      return undefined
    },
    forget({ podUid }) {
      polled.get(podUid)?.timer?.[Symbol.dispose]()
      polled.delete(podUid)
    },
    [Symbol.dispose]() {
      for (const { timer } of polled.values()) timer?.[Symbol.dispose]()
      polled.clear()
    },
  }
}
