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

/** A guest that is on the node, or that was to leave it. */
export interface Guest {
  readonly vmi: VirtualMachineInstance
  /** All migrations of the guest, whoever has asked for them. */
  readonly migrations: readonly VirtualMachineInstanceMigration[]
  /** How many of its launcher pods have not ended. */
  readonly pods: number
  /** The one of them that it runs in. */
  readonly launcher: Pod | undefined
}

/** What is known of a node's evacuation. */
export interface Observed {
  readonly nodeName: string
  /** Undefined: it was deleted. */
  readonly node: Node | undefined
  /** The nodes beside it. */
  readonly others: readonly Node[]
}

/** What to do about one guest. */
export interface Plan {
  /** Ask for a migration, as the next after so many. */
  readonly migrates: boolean
  /** Labels that the node has to have that it moves to. */
  readonly selector?: Readonly<Record<string, string>>
  /** Migrations to call off. */
  readonly cancelled: readonly VirtualMachineInstanceMigration[]
  /** Whether the note that the guest shall leave is taken away. */
  readonly clearsMark: boolean
  /** Why the guest does not leave; undefined when nothing keeps it. */
  readonly obstacle: Obstacle | undefined
  /** When to look again, in milliseconds since the epoch. */
  readonly recheckAt?: number
}

/** Nobody tells when a node has room again. */
const noTargetRecheckMs = 30_000

const idle: Plan = { migrates: false, cancelled: [], clearsMark: false, obstacle: undefined }

/**
 * Decides what to do about a guest that is on a node, or was to leave it. Undefined: it is none of
 * our business.
 */
export function decide(observed: Observed, guest: Guest, config: EvictionConfig, nowMs: number): Plan | undefined {
  const { vmi, migrations } = guest
  if (isBeingDeleted(vmi) || isVmiFinal(vmi)) return undefined
  const isMarked = vmi.status?.evacuationNodeName === observed.nodeName
  const isHere = vmi.status?.nodeName === observed.nodeName
  // A migration that is not over will say by itself where the guest has ended up.
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
  // Whoever evicts it the next time ends it, or moves it.
  if (outcome !== 'migrate') return idle
  const attempts = summarizeAttempts(migrations.filter((migration) => isOurs(migration, observed.nodeName)))
  const obstacle = repeatedFailures(attempts, nextAttemptAt(attempts))
  // A pod that is left over from the last attempt would be taken for the guest's place.
  if (vmi.status?.phase !== 'Running' || pods > 1 || !migrations.every(isMigrationFinal)) return { ...idle, obstacle }
  const fit = observed.others.filter((node) => isEligibleTarget(node, vmi))
  if (fit.length === 0) return { ...idle, obstacle: noTarget(), recheckAt: nowMs + noTargetRecheckMs }
  const at = nextAttemptAt(attempts)
  if (at > nowMs) return { ...idle, obstacle, recheckAt: at }
  const selector = targetReleaseSelector(vmi, observed.others, fit)
  return { ...idle, migrates: true, obstacle, ...(selector === undefined ? {} : { selector }) }
}

/**
 * Whether the guest was to leave because its node was cordoned, and the node is open again: the
 * drain was called off.
 */
function isReopened({ nodeName, node }: Observed, { metadata }: VirtualMachineInstance): boolean {
  const isFromCordon = metadata.annotations?.[evictionNames.cordonAnnotation] === nodeName
  return isFromCordon && node !== undefined && !isCordoned(node) && !isTainted(node)
}

/** Whether no new guests may come to a node. */
export function isCordoned(node: Node | undefined): boolean {
  return node?.spec?.unschedulable === true
}

/** Whether guests that can move shall leave a node. */
export function isTainted(node: Node | undefined): boolean {
  return node?.spec?.taints?.some(({ key, effect }) => key === evacuationNames.drainTaint && effect === 'NoSchedule') === true
}

function isOurs({ metadata }: VirtualMachineInstanceMigration, nodeName: string): boolean {
  return metadata.annotations?.[evacuationNames.migrationAnnotation] === nodeName
}

function isGoing({ metadata }: VirtualMachineInstanceMigration): boolean {
  return isBeingDeleted({ metadata })
}
