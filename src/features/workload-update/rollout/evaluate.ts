import type { WindowState } from '#features/cluster-config/index.ts'
import { repeatedFailures, nextAttemptAt } from '#features/evacuation/index.ts'
import { compatibilityClass, type ClassRecord, type GuestFacts, type Observed, type Settings } from '../guests/facts.ts'

/** Why a guest that should be updated has not been. */
export type WaitReason =
  | 'Migrating'
  | 'Queued'
  | 'NotMigratable'
  | 'MethodNotEnabled'
  | 'Paused'
  | 'ExcludedByWindow'
  | 'NoTarget'
  | 'ClassStopped'
  | 'WaitingForCanary'
  | 'Backoff'

/** What a guest that should be updated waits for. */
export interface WaitState {
  readonly reason: WaitReason
  readonly message: string
  /** Failed attempts. */
  readonly attempts: number
  /** When there may be the next attempt, in milliseconds since the epoch, if that is known. */
  readonly nextAt?: number
}

/** How a guest would be updated, or what it waits for. */
export type Evaluation = { readonly route: 'migrate' | 'evict' } | { readonly route: 'wait'; readonly state: WaitState }

/** A class that nobody has come through yet is given up sooner than one that works. */
const mostFailuresUnproven = 3
const mostFailuresProven = 5

/**
 * Whether updates of a class were given up, until the wanted image or what the administrator says
 * changes.
 */
export function isClassStopped({ successes, failures }: ClassRecord): boolean {
  return failures >= (successes === 0 ? mostFailuresUnproven : mostFailuresProven)
}

/** Whether a guest runs in another image than it should. */
export function isOutdated({ image }: GuestFacts, observed: Pick<Observed, 'image'>): boolean {
  return image !== '' && image !== observed.image
}

/** Whether anything is to be done about a guest. */
export function needsUpdate(guest: GuestFacts, observed: Pick<Observed, 'image'>): boolean {
  return !guest.isOptedOut && (guest.isPlugging || isOutdated(guest, observed))
}

/** When it is judged, and whether that is within a window. */
export interface EvaluationTime {
  readonly nowMs: number
  readonly window: WindowState
}

/**
 * Judges a guest that should be updated, by itself. What was plugged in is what its owner waits
 * for: it asks neither for windows nor for canaries, and never ends in an eviction.
 */
export function evaluate(guest: GuestFacts, observed: Observed, settings: Settings, { window, nowMs }: EvaluationTime): Evaluation {
  const wait = (reason: WaitReason, message: string, nextAt?: number): Evaluation => ({
    route: 'wait',
    state: { reason, message, attempts: guest.attempts.failures.length, ...(nextAt === undefined ? {} : { nextAt }) },
  })
  if (guest.migration !== undefined) return wait('Migrating', 'The guest is being moved')
  const { isPlugging } = guest
  const route = routeOf(guest, settings)
  if (route === undefined) return waitWithoutRoute(guest, settings, wait)
  if (settings.isPaused && !isPlugging) return wait('Paused', 'Updates of guests are paused')
  if (!window.isOpen && !isPlugging) return wait('ExcludedByWindow', `The next window opens at ${iso(window.changesAt)}`, window.changesAt)
  if (route === 'evict') return { route }
  if (!observed.nodes.some((node) => node.name !== guest.node && node.isSchedulable && (isPlugging || node.isUpdated))) {
    return wait('NoTarget', isPlugging ? 'No other node is open for guests' : 'No other node that is open for guests has been updated')
  }
  const record = observed.classes.get(compatibilityClass(guest))
  if (!isPlugging && record !== undefined && isClassStopped(record)) {
    return wait('ClassStopped', `${record.failures} updates of guests like this one have failed, the last because ${record.lastReason}`)
  }
  const nextAt = nextAttemptAt(guest.attempts)
  if (nextAt > nowMs) return wait('Backoff', repeatedFailures(guest.attempts, nextAt)?.message ?? 'The last attempt has failed', nextAt)
  return { route }
}

function routeOf(guest: GuestFacts, { methods }: Settings): 'migrate' | 'evict' | undefined {
  if (methods.includes('LiveMigrate') && guest.notMigratable === undefined) return 'migrate'
  // Only what an eviction really stops: the others would be refused, or moved after all.
  return methods.includes('Evict') && !guest.isPlugging && guest.evictionOutcome === 'shutdown' ? 'evict' : undefined
}

function waitWithoutRoute(guest: GuestFacts, { methods }: Settings, wait: (reason: WaitReason, message: string) => Evaluation): Evaluation {
  if (methods.includes('LiveMigrate')) {
    const beside = methods.includes('Evict') ? ', and an eviction must not stop it' : ''
    return wait(
      'NotMigratable',
      `The guest cannot be moved (${guest.notMigratable ?? ''})${guest.isPlugging ? '' : beside}: it is updated when its VM is restarted`,
    )
  }
  return wait(
    'MethodNotEnabled',
    'No workloadUpdateMethod of the KubeVirt object is one for this guest: it is updated when its VM is restarted',
  )
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
