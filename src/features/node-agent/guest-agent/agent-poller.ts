import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'
import { askAgent } from './ask-agent.ts'
import { queryFacts, type GuestFacts } from './answers.ts'
import { createGuestPoller } from './guest-poller.ts'

/** Asks the agents of guests for what the status of their VMIs shows. */
export interface AgentPoller extends Disposable {
  /** Returns what the agent last said; undefined before its first answer. */
  factsOf(guest: Guest): GuestFacts | undefined
  /** Stops asking a guest that has no agent, or is gone. */
  forget(guest: Pick<Guest, 'podUid'>): void
}

/** Milliseconds between two questions to an agent. A guest changes its addresses rarely. */
const intervalMs = 30_000

/** Creates the poller of a node. */
export function createAgentPoller(clock: Clock): AgentPoller {
  const poller = createGuestPoller<GuestFacts>({ clock, intervalMs })
  return {
    ...poller,
    factsOf: (guest) => poller.latest(guest, (before) => askAgent(guest, queryFacts).catch(() => before)),
  }
}
