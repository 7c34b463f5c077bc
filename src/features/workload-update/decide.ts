import { windowAt } from '#features/cluster-config/index.ts'
import { compatibilityClass, type GuestFacts, type Observed, type Settings } from './guests/facts.ts'
import { chooseGuests } from './rollout/choose.ts'
import { isOutdated, evaluate, needsUpdate, type WaitState } from './rollout/evaluate.ts'

/** A guest that needs an update, and what it waits for. */
export interface Waiting {
  readonly guest: GuestFacts
  readonly state: WaitState
}

/** Guests to act on in this pass. */
export interface Decision {
  /** Guests to migrate. */
  readonly migrate: readonly GuestFacts[]
  /** Guests to evict, as one batch. */
  readonly evict: readonly GuestFacts[]
  /** Guests whose migration by this controller is no longer needed. */
  readonly cancel: readonly GuestFacts[]
  readonly waiting: readonly Waiting[]
  /** Number of guests in another image than the wanted one. */
  readonly outdated: number
  /** Time of the next check without an event, in milliseconds since the epoch. */
  readonly recheckAt: number
}

/** Decides which guests are updated now, within the limits of parallel migrations and batches. */
export function decide(observed: Observed, settings: Settings, nowMs: number): Decision {
  const waiting: Waiting[] = []
  const window = windowAt(settings.windows, nowMs)
  const routes: { migrate: GuestFacts[]; evict: GuestFacts[] } = { migrate: [], evict: [] }
  for (const guest of observed.guests) {
    if (!needsUpdate(guest, observed)) continue
    const judgement = evaluate(guest, observed, settings, { nowMs, window })
    if (judgement.route === 'wait') waiting.push({ guest, state: judgement.state })
    else routes[judgement.route].push(guest)
  }
  const { canaries, held } = holdBack(routes.migrate, observed)
  waiting.push(...held.map((guest) => waitingAs(guest, 'WaitingForCanary', 'Waits for the canary of its class')))
  const total = [...observed.outgoingByNode.values()].reduce((sum, count) => sum + count, 0)
  const migrate = chooseGuests(canaries, settings.maxPerCluster - total, settings.maxOutboundPerNode, observed.outgoingByNode)
  const batchAt = (observed.lastBatchAt ?? -Infinity) + settings.batchIntervalMs
  const evict = batchAt > nowMs ? [] : chooseGuests(routes.evict, sizeOfBatch(observed, settings), Infinity, new Map())
  const isBatchLeft = routes.evict.length > evict.length
  const chosen = new Set([...migrate, ...evict])
  const queued = [...canaries, ...routes.evict].filter((guest) => !chosen.has(guest))
  waiting.push(...queued.map((guest) => waitingAs(guest, 'Queued', 'The limit of parallel updates is reached')))
  return {
    migrate,
    evict,
    cancel: observed.guests.filter((guest) => guest.migration?.isOurs === true && guest.migration.isEarly && !needsUpdate(guest, observed)),
    waiting,
    outdated: observed.guests.filter((guest) => isOutdated(guest, observed)).length,
    recheckAt: Math.min(
      isBatchLeft ? (evict.length > 0 ? nowMs + settings.batchIntervalMs : batchAt) : Infinity,
      waiting.length > 0 ? window.changesAt : Infinity,
      ...new Set(waiting.map(({ state }) => state.nextAt ?? Infinity)),
    ),
  }
}

/** Holds back all guests but one of each class that has no successful update yet. */
function holdBack(
  candidates: readonly GuestFacts[],
  { classes }: Observed,
): { readonly canaries: GuestFacts[]; readonly held: GuestFacts[] } {
  const [canaries, held]: [GuestFacts[], GuestFacts[]] = [[], []]
  const unproven = new Map<string, GuestFacts[]>()
  for (const guest of candidates) {
    const record = classes.get(compatibilityClass(guest))
    if (guest.isPlugging || (record?.successes ?? 0) > 0) canaries.push(guest)
    else if ((record?.inFlight ?? 0) > 0) held.push(guest)
    else unproven.getOrInsertComputed(compatibilityClass(guest), () => []).push(guest)
  }
  for (const alike of unproven.values()) {
    const [first] = chooseGuests(alike, 1, Infinity, new Map())
    for (const guest of alike) (guest === first ? canaries : held).push(guest)
  }
  return { canaries, held }
}

/** Returns the batch size; the first batch for an image is one guest. */
function sizeOfBatch({ lastBatchAt }: Observed, { batchSize }: Settings): number {
  return lastBatchAt === undefined ? Math.min(1, batchSize) : batchSize
}

function waitingAs(guest: GuestFacts, reason: 'WaitingForCanary' | 'Queued', message: string): Waiting {
  return { guest, state: { reason, message, attempts: guest.attempts.failures.length } }
}
