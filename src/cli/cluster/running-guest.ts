import type { RunningGuest } from '#machine/guests/running-guests.ts'
import { unlessAborted } from '#runtime/clock/abort.ts'
import { connectQmp, queryRunState, type RunState } from '#qemu/index.ts'

/** Milliseconds for QEMU to answer. One that is stopped or busy does not run the guest's CPUs. */
const ANSWER_MS = 1_000

/** Run states of a QEMU that waits for its guest, or has sent it to another one. */
const WITHOUT_GUEST: readonly (RunState | undefined)[] = ['inmigrate', 'postmigrate', 'finish-migrate', undefined]

/**
 * Finds the QEMU that runs a guest. During a migration there is a second one without the guest,
 * and while a VM restarts, the QEMU of its previous run may still exist: the newest one that has
 * a guest is returned.
 */
export async function findRunningGuest(
  guests: readonly RunningGuest[],
  namespace: string,
  name: string,
): Promise<RunningGuest | undefined> {
  const candidates = guests
    .filter((guest) => guest.namespace === namespace && guest.name === name)
    .toSorted((a, b) => b.process.startTicks - a.process.startTicks)
  if (candidates.length < 2) return candidates[0]
  const states = await Promise.all(candidates.map(runStateOf))
  return candidates.find((_, index) => !WITHOUT_GUEST.includes(states[index]))
}

/** Returns undefined when QEMU does not answer in time. */
async function runStateOf({ monitorSocket }: RunningGuest): Promise<RunState | undefined> {
  if (monitorSocket === undefined) return undefined
  try {
    using qmp = await connectQmp(monitorSocket, { greetingTimeoutMs: ANSWER_MS })
    return await unlessAborted(queryRunState(qmp), AbortSignal.timeout(ANSWER_MS), undefined)
  } catch {
    return undefined
  }
}
