import type { WindowState } from '#features/cluster-config/index.ts'
import { repeatedFailures, nextAttemptAt } from '#features/evacuation/index.ts'
import { compatibilityClass, type ClassRecord, type GuestFacts, type Observed, type Settings } from '../guests/facts.ts'

/** Reason why a guest that needs an update has not been updated. */
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

/** Wait state of a guest that needs an update. */
export interface WaitState {
  readonly reason: WaitReason
  readonly message: string
  /** Failed attempts. */
  readonly attempts: number
  /** Earliest time of the next attempt, in milliseconds since the epoch, if known. */
  readonly nextAt?: number
}

/** Update method of a guest, or its wait state. */
export type Evaluation = { readonly route: 'migrate' | 'evict' } | { readonly route: 'wait'; readonly state: WaitState }

/** A class without a success is stopped after fewer failures. */
const mostFailuresUnproven = 3
const mostFailuresProven = 5

/**
 * Reports whether updates of a class were stopped, until the wanted image or the settings change.
 */
export function isClassStopped({ successes, failures }: ClassRecord): boolean {
  return failures >= (successes === 0 ? mostFailuresUnproven : mostFailuresProven)
}

/** Reports whether a guest runs in another image than the wanted one. */
export function isOutdated({ image }: GuestFacts, observed: Pick<Observed, 'image'>): boolean {
  return image !== '' && image !== observed.image
}

/** Reports whether a guest needs an update or a migration for its hotplug. */
export function needsUpdate(guest: GuestFacts, observed: Pick<Observed, 'image'>): boolean {
  return !guest.isOptedOut && (guest.isPlugging || isOutdated(guest, observed))
}

/** Current time, and state of the maintenance windows. */
export interface EvaluationTime {
  readonly nowMs: number
  readonly window: WindowState
}

/**
 * Evaluates a guest that needs an update, on its own. A pending hotplug was requested by the owner:
 * it ignores windows and canaries, and never evicts.
 */
export function evaluate(guest: GuestFacts, observed: Observed, settings: Settings, { window, nowMs }: EvaluationTime): Evaluation {
  const wait = (reason: WaitReason, message: string, nextAt?: number): Evaluation => ({
    route: 'wait',
    state: { reason, message, attempts: guest.attempts.failures.length, ...(nextAt === undefined ? {} : { nextAt }) },
  })
  if (guest.migration !== undefined) return wait('Migrating', 'The guest is migrating')
  const { isPlugging } = guest
  const route = routeOf(guest, settings)
  if (route === undefined) return waitWithoutRoute(guest, settings, wait)
  if (settings.isPaused && !isPlugging) return wait('Paused', 'Updates of guests are paused')
  if (!window.isOpen && !isPlugging) return wait('ExcludedByWindow', `The next window opens at ${iso(window.changesAt)}`, window.changesAt)
  if (route === 'evict') return { route }
  if (!observed.nodes.some((node) => node.name !== guest.node && node.isSchedulable && (isPlugging || node.isUpdated))) {
    return wait('NoTarget', isPlugging ? 'No other node is schedulable for guests' : 'No other schedulable node has been updated')
  }
  const record = observed.classes.get(compatibilityClass(guest))
  if (!isPlugging && record !== undefined && isClassStopped(record)) {
    return wait('ClassStopped', `${record.failures} updates of guests of this class have failed, the last because ${record.lastReason}`)
  }
  const nextAt = nextAttemptAt(guest.attempts)
  if (nextAt > nowMs) return wait('Backoff', repeatedFailures(guest.attempts, nextAt)?.message ?? 'The last attempt has failed', nextAt)
  return { route }
}

function routeOf(guest: GuestFacts, { methods }: Settings): 'migrate' | 'evict' | undefined {
  if (methods.includes('LiveMigrate') && guest.notMigratable === undefined) return 'migrate'
  // Other outcomes of an eviction do not update the guest.
  return methods.includes('Evict') && !guest.isPlugging && guest.evictionOutcome === 'shutdown' ? 'evict' : undefined
}

function waitWithoutRoute(guest: GuestFacts, { methods }: Settings, wait: (reason: WaitReason, message: string) => Evaluation): Evaluation {
  if (methods.includes('LiveMigrate')) {
    const beside = methods.includes('Evict') ? ', and an eviction must not shut it down' : ''
    return wait(
      'NotMigratable',
      `The guest cannot be migrated (${guest.notMigratable ?? ''})${guest.isPlugging ? '' : beside}: it is updated when its VM is restarted`,
    )
  }
  return wait(
    'MethodNotEnabled',
    'No workloadUpdateMethod of the KubeVirt object applies to this guest: it is updated when its VM is restarted',
  )
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
