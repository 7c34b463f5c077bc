import { conflict } from '#apimachinery/errors.ts'
import { connectGuestAgent, GuestAgentRefusal, GuestAgentUnavailable, type GuestAgent } from '#qemu/index.ts'
import { guestSockets } from '../domain/domain.ts'
import type { Guest } from '../guest/guest.ts'

/** The last request to each agent, by the path of its socket. */
const turns = new Map<string, Promise<void>>()

/**
 * Asks the agent in a guest. Requests to one agent wait for each other: it serves one client.
 * @throws StatusError 409 without an agent, and for a command that it refuses
 */
export async function askAgent<T>({ paths }: Pick<Guest, 'paths'>, ask: (agent: GuestAgent) => Promise<T>): Promise<T> {
  const path = guestSockets(paths.runDirectory).agent
  const answer = (turns.get(path) ?? Promise.resolve()).then(async () => {
    using agent = await connectGuestAgent(path)
    return await ask(agent)
  })
  const turn = answer.then(
    () => {},
    () => {},
  )
  turns.set(path, turn)
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof GuestAgentUnavailable) && !(error instanceof GuestAgentRefusal)) throw error
    throw conflict({ group: 'kubevirt.io', plural: 'virtualmachineinstances' }, '', error.message)
  } finally {
    if (turns.get(path) === turn) turns.delete(path)
  }
}
