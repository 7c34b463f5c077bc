import { StatusError } from '#apimachinery/errors.ts'
import { patienceMs } from '#runtime/cache/own-writes.ts'
import { done, recheckIn, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { activeMigration, names, podsByVmi } from '#features/vmi/index.ts'
import { act } from './act.ts'
import { decide, isTargetOf } from './decide.ts'
import type { Observed } from './step.ts'
import { excessMigrations, backoffLeftMs } from './schedule/finished-migrations.ts'
import { createReservedSlots, type ReservedSlots } from './schedule/reserved-slots.ts'
import { migrationsByGuest, unfinished, type Ports } from './ports.ts'
import { canStart, requeueDelayMs, type QueueEntry } from './schedule/queue.ts'

/**
 * Brings guests to other nodes: finds the node, hands the guest over to the two agents, and cleans
 * up after them.
 */
export function createMigrationReconciler(shared: Ports): Reconciler {
  const places = createReservedSlots(shared.clock)
  return async (request, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const observed = observe(ports, places, request)
    if (observed === undefined) return done
    const { migration, vmi } = observed
    if ([migration, vmi].some((object) => object !== undefined && ports.own.isBehind(object))) return recheckIn(patienceMs)
    const step = decide(observed, ports.clock.now())
    const { uid = '' } = migration.metadata
    // Before anybody else can look.
    if (step.kind === 'createTarget') places.give(uid)
    try {
      await act(ports, observed, step)
    } catch (error) {
      // What became of a request without an answer nobody knows.
      if (error instanceof StatusError && error.code < 500) places.takeBack(uid)
      throw error
    }
    if (step.kind === 'wait') return recheckIn(step.ms)
    return step.kind === 'enter' && step.again !== undefined ? recheckIn(step.again) : done
  }
}

function observe(ports: Ports, places: ReservedSlots, { namespace, name }: Request): Observed | undefined {
  const migration = ports.migrations.get(namespace, name)
  if (migration === undefined) return undefined
  const vmi = ports.vmis.get(namespace, migration.spec.vmiName ?? '')
  const state = vmi?.status?.migrationState
  const isGone = (name: string | undefined): boolean => {
    const node = ports.nodes.get('', name ?? '')
    return name !== undefined && (node === undefined || isAgentSilent(node))
  }
  const ofGuest = ports.migrations.byIndex(migrationsByGuest, `${namespace}/${migration.spec.vmiName ?? ''}`)
  const target = targetOf(ports, migration)
  return {
    migration,
    vmi,
    target,
    source: podsOf(ports, migration).find(({ metadata }) => metadata.name === state?.sourcePod),
    silent: { source: isGone(state?.sourceNode), target: isGone(state?.targetNode) },
    isOrphaned: vmi !== undefined && isGuestOrphaned(vmi, ofGuest),
    // Whoever has a place, or is over, need not stand in line any more: all that are under way are
    // looked at for it.
    wait: target === undefined && !isMigrationFinal(migration) ? queueWait(ports, places, migration, ofGuest) : undefined,
    excess: excessMigrations(ofGuest),
  }
}

function queueWait(
  ports: Ports,
  places: ReservedSlots,
  migration: Observed['migration'],
  ofGuest: readonly Observed['migration'][],
): Observed['wait'] {
  const pauseMs = backoffLeftMs(migration, ofGuest, ports.clock.now())
  if (pauseMs > 0) return { ms: pauseMs, reason: 'MigrationBackoff' }
  const { parallelMigrationsPerCluster: cluster, parallelOutboundMigrationsPerNode: outboundPerNode } = ports.config().migrations
  const others = ports.migrations.byIndex(unfinished, unfinished).map((other) => queueEntry(ports, places, other))
  return canStart(queueEntry(ports, places, migration), others, { cluster, outboundPerNode })
    ? undefined
    : { ms: requeueDelayMs(migration) }
}

function queueEntry(ports: Ports, places: ReservedSlots, migration: Observed['migration']): QueueEntry {
  const vmi = ports.vmis.get(migration.metadata.namespace ?? '', migration.spec.vmiName ?? '')
  const state = vmi?.status?.migrationState
  const isOwn = state !== undefined && state.migrationUid === migration.metadata.uid
  return {
    migration,
    sourceNode: isOwn ? state.sourceNode : vmi?.status?.nodeName,
    // Also one whose target pod has gone, until its source has let go.
    isRunning: isOwn || targetOf(ports, migration) !== undefined || places.isGiven(migration.metadata.uid ?? ''),
  }
}

function targetOf(ports: Ports, migration: Observed['migration']): Observed['target'] {
  return podsOf(ports, migration).find((pod) => isTargetOf(migration, pod))
}

function podsOf(ports: Ports, { metadata, spec }: Observed['migration']): readonly Pod[] {
  const vmi = ports.vmis.get(metadata.namespace ?? '', spec.vmiName ?? '')
  return ports.pods.byIndex(podsByVmi, vmi?.metadata.uid ?? '')
}

/**
 * A node whose agent has not been heard of for long is closed for guests; the agent itself opens it
 * with each sign of life.
 */
export function isAgentSilent({ metadata }: Node): boolean {
  return metadata.labels?.[names.schedulableLabel] === 'false'
}

function isGuestOrphaned(vmi: NonNullable<Observed['vmi']>, ofGuest: readonly Observed['migration'][]): boolean {
  const state = activeMigration(vmi)
  return state !== undefined && !ofGuest.some((each) => each.metadata.uid === state.migrationUid && !isMigrationFinal(each))
}
