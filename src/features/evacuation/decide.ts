import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isVmiFinal, isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { evictionNames, evictionOutcome, type EvictionConfig } from '#features/eviction/index.ts'
import { summarizeAttempts, isCancellable, nextAttemptAt } from './attempts/attempts.ts'
import { evacuationNames } from './names.ts'
import { repeatedFailures, noTarget, notMigratable, type Obstacle } from './attempts/obstacle.ts'
import { isEligibleTarget } from './targets/eligible-node.ts'
import { targetReleaseSelector } from './targets/versions.ts'

/** A guest that is on the node, or was marked to leave it. */
export interface Guest {
  readonly vmi: VirtualMachineInstance
  /** All migrations of the guest, of users and controllers. */
  readonly migrations: readonly VirtualMachineInstanceMigration[]
  /** Number of its launcher pods that have not ended. */
  readonly pods: number
  /** The pod that it runs in. */
  readonly launcher: Pod | undefined
}

/** A node and the other nodes. */
export interface Observed {
  readonly nodeName: string
  /** Undefined when the node was deleted. */
  readonly node: Node | undefined
  /** All other nodes. */
  readonly others: readonly Node[]
}

/** Actions for one guest. */
export interface Plan {
  /** Create the next migration. */
  readonly migrates: boolean
  /** Additional labels that the target node must have. */
  readonly selector?: Readonly<Record<string, string>>
  /** Migrations to cancel. */
  readonly cancelled: readonly VirtualMachineInstanceMigration[]
  /** Clear `evacuationNodeName`. */
  readonly clearsMark: boolean
  /** Reason why the guest does not leave; undefined without an obstacle. */
  readonly obstacle: Obstacle | undefined
  /** Time of the next check, in milliseconds since the epoch. */
  readonly recheckAt?: number
}

/** Freed capacity raises no event, so poll. */
const noTargetRecheckMs = 30_000

const idle: Plan = { migrates: false, cancelled: [], clearsMark: false, obstacle: undefined }

/**
 * Decides what to do about a guest that is on a node, or was marked to leave it. Undefined when it
 * is not affected.
 */
export function decide(observed: Observed, guest: Guest, config: EvictionConfig, nowMs: number): Plan | undefined {
  const { vmi, migrations } = guest
  if (isBeingDeleted(vmi) || isVmiFinal(vmi)) return undefined
  const isMarked = vmi.status?.evacuationNodeName === observed.nodeName
  const isHere = vmi.status?.nodeName === observed.nodeName
  // An active migration decides by itself which node the guest ends on.
  if (!isHere) return isMarked && migrations.every(isMigrationFinal) ? { ...idle, clearsMark: true } : undefined
  const isCalledOff = isMarked && isReopened(observed, vmi)
  if (!isCalledOff && (isMarked || isTainted(observed.node))) return decideLeaving(observed, guest, config, nowMs)
  const isStuck = isCordoned(observed.node) && evictionOutcome(vmi, config) === 'block'
  const cancelled = migrations.filter(
    (migration) => isOurs(migration, observed.nodeName) && isCancellable(migration) && !isGoing(migration),
  )
  return { ...idle, cancelled, clearsMark: isCalledOff, obstacle: isStuck ? notMigratable(vmi) : undefined }
}

function decideLeaving(observed: Observed, guest: Guest, config: EvictionConfig, nowMs: number): Plan {
  const { vmi, migrations, pods } = guest
  const outcome = evictionOutcome(vmi, config)
  if (outcome === 'block') return { ...idle, obstacle: notMigratable(vmi) }
  // The next eviction shuts the guest down or is handled externally.
  if (outcome !== 'migrate') return idle
  const attempts = summarizeAttempts(migrations.filter((migration) => isOurs(migration, observed.nodeName)))
  const obstacle = repeatedFailures(attempts, nextAttemptAt(attempts))
  // A pod left over from the last attempt would be taken for the target of the next.
  if (vmi.status?.phase !== 'Running' || pods > 1 || !migrations.every(isMigrationFinal)) return { ...idle, obstacle }
  const fit = observed.others.filter((node) => isEligibleTarget(node, vmi))
  if (fit.length === 0) return { ...idle, obstacle: noTarget(), recheckAt: nowMs + noTargetRecheckMs }
  const at = nextAttemptAt(attempts)
  if (at > nowMs) return { ...idle, obstacle, recheckAt: at }
  const selector = targetReleaseSelector(vmi, observed.others, fit)
  return { ...idle, migrates: true, obstacle, ...(selector === undefined ? {} : { selector }) }
}

/**
 * Reports whether the guest was marked because its node was cordoned, and the node was uncordoned:
 * the drain was cancelled.
 */
function isReopened({ nodeName, node }: Observed, { metadata }: VirtualMachineInstance): boolean {
  const isFromCordon = metadata.annotations?.[evictionNames.cordonAnnotation] === nodeName
  return isFromCordon && node !== undefined && !isCordoned(node) && !isTainted(node)
}

/** Reports whether the node accepts no new pods. */
export function isCordoned(node: Node | undefined): boolean {
  return node?.spec?.unschedulable === true
}

/** Reports whether the node has the drain taint, which asks guests to leave. */
export function isTainted(node: Node | undefined): boolean {
  return node?.spec?.taints?.some(({ key, effect }) => key === evacuationNames.drainTaint && effect === 'NoSchedule') === true
}

function isOurs({ metadata }: VirtualMachineInstanceMigration, nodeName: string): boolean {
  return metadata.annotations?.[evacuationNames.migrationAnnotation] === nodeName
}

function isGoing({ metadata }: VirtualMachineInstanceMigration): boolean {
  return isBeingDeleted({ metadata })
}
