import { StatusError } from '#apimachinery/errors.ts'
import { patienceMs } from '#runtime/cache/own-writes.ts'
import { done, recheckIn, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { activeMigration, podsByVmi } from '#features/vmi/index.ts'
import { act } from './act.ts'
import { msUntilSilent } from './agent-silence.ts'
import { decide, isTargetOf } from './decide.ts'
import type { Observed } from './step.ts'
import { excessMigrations, backoffLeftMs } from './schedule/finished-migrations.ts'
import { createReservedSlots, type ReservedSlots } from './schedule/reserved-slots.ts'
import { migrationsByGuest, unfinished, type Ports } from './ports.ts'
import { canStart, requeueDelayMs, type QueueEntry } from './schedule/queue.ts'

/**
 * Migrates guests: creates the target pod, hands the guest over to the two node agents, and cleans
 * up after them.
 */
export function createMigrationReconciler(shared: Ports): Reconciler {
  const slots = createReservedSlots(shared.clock)
  return async (request, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const observed = observe(ports, slots, request)
    if (observed === undefined) return done
    const { migration, vmi } = observed
    if ([migration, vmi].some((object) => object !== undefined && ports.own.isBehind(object))) return recheckIn(patienceMs)
    const step = decide(observed, ports.clock.now())
    const { uid = '' } = migration.metadata
    // Synchronously, before another worker evaluates the queue.
    if (step.kind === 'createTarget') slots.reserve(uid)
    try {
      await act(ports, observed, step)
    } catch (error) {
      // Without an answer, the pod may have been created.
      if (error instanceof StatusError && error.code < 500) slots.release(uid)
      throw error
    }
    const againMs = step.kind === 'wait' ? step.ms : step.kind === 'enter' ? (step.again ?? Infinity) : Infinity
    const nextMs = Math.min(againMs, observed.silentInMs ?? Infinity)
    return nextMs === Infinity ? done : recheckIn(nextMs)
  }
}

function observe(ports: Ports, slots: ReservedSlots, { namespace, name }: Request): Observed | undefined {
  const migration = ports.migrations.get(namespace, name)
  if (migration === undefined) return undefined
  const vmi = ports.vmis.get(namespace, migration.spec.vmiName ?? '')
  const state = vmi?.status?.migrationState
  const silenceOf = (name: string | undefined): number =>
    name === undefined ? Infinity : msUntilSilent(ports.nodes.get('', name), ports.clock.now())
  const [sourceMs, targetMs] = [silenceOf(state?.sourceNode), silenceOf(state?.targetNode)]
  const ofGuest = ports.migrations.byIndex(migrationsByGuest, `${namespace}/${migration.spec.vmiName ?? ''}`)
  const target = targetOf(ports, migration)
  return {
    migration,
    vmi,
    target,
    source: podsOf(ports, migration).find(({ metadata }) => metadata.name === state?.sourcePod),
    silent: { source: sourceMs === 0, target: targetMs === 0 },
    silentInMs: Math.min(...[sourceMs, targetMs].filter((ms) => ms > 0)),
    isOrphaned: vmi !== undefined && isGuestOrphaned(vmi, ofGuest),
    // Only migrations without a target pod wait; evaluating the queue reads all active ones.
    wait: target === undefined && !isMigrationFinal(migration) ? queueWait(ports, slots, migration, ofGuest) : undefined,
    excess: excessMigrations(ofGuest),
  }
}

function queueWait(
  ports: Ports,
  slots: ReservedSlots,
  migration: Observed['migration'],
  ofGuest: readonly Observed['migration'][],
): Observed['wait'] {
  const pauseMs = backoffLeftMs(migration, ofGuest, ports.clock.now())
  if (pauseMs > 0) return { ms: pauseMs, reason: 'MigrationBackoff' }
  const { parallelMigrationsPerCluster: cluster, parallelOutboundMigrationsPerNode: outboundPerNode } = ports.config().migrations
  const others = ports.migrations.byIndex(unfinished, unfinished).map((other) => queueEntry(ports, slots, other))
  return canStart(queueEntry(ports, slots, migration), others, { cluster, outboundPerNode }) ? undefined : { ms: requeueDelayMs(migration) }
}

function queueEntry(ports: Ports, slots: ReservedSlots, migration: Observed['migration']): QueueEntry {
  const vmi = ports.vmis.get(migration.metadata.namespace ?? '', migration.spec.vmiName ?? '')
  const state = vmi?.status?.migrationState
  const isOwn = state !== undefined && state.migrationUid === migration.metadata.uid
  return {
    migration,
    sourceNode: isOwn ? state.sourceNode : vmi?.status?.nodeName,
    // Includes a migration whose target pod is gone, until its source has ended it.
    isRunning: isOwn || targetOf(ports, migration) !== undefined || slots.isReserved(migration.metadata.uid ?? ''),
  }
}

function targetOf(ports: Ports, migration: Observed['migration']): Observed['target'] {
  return podsOf(ports, migration).find((pod) => isTargetOf(migration, pod))
}

function podsOf(ports: Ports, { metadata, spec }: Observed['migration']): readonly Pod[] {
  const vmi = ports.vmis.get(metadata.namespace ?? '', spec.vmiName ?? '')
  return ports.pods.byIndex(podsByVmi, vmi?.metadata.uid ?? '')
}

function isGuestOrphaned(vmi: NonNullable<Observed['vmi']>, ofGuest: readonly Observed['migration'][]): boolean {
  const state = activeMigration(vmi)
  return state !== undefined && !ofGuest.some((each) => each.metadata.uid === state.migrationUid && !isMigrationFinal(each))
}
