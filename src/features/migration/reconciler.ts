import { done, recheckIn, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { podsByVmi } from '#features/vmi/index.ts'
import { act } from './act.ts'
import { decide, isTargetOf, type Observed } from './decide.ts'
import { garbageOf, pauseOf } from './history.ts'
import type { Ports } from './ports.ts'
import { isNext, isOver, waitOf, type Contender } from './queue.ts'

/** Brings guests to other nodes: finds the node, hands the guest over to the two agents, and cleans up after them. */
export function createMigrationReconciler(ports: Ports): Reconciler {
  return async (request) => {
    const observed = observe(ports, request)
    if (observed === undefined) return done
    const step = decide(observed, ports.clock.now())
    await act(ports, observed, step)
    if (step.kind === 'wait') return recheckIn(step.ms)
    return step.kind === 'enter' && step.again !== undefined ? recheckIn(step.again) : done
  }
}

function observe(ports: Ports, { namespace, name }: Request): Observed | undefined {
  const migration = ports.migrations.get(namespace, name)
  if (migration === undefined) return undefined
  const vmi = ports.vmis.get(namespace, migration.spec.vmiName ?? '')
  const { parallelMigrationsPerCluster: cluster, parallelOutboundMigrationsPerNode: outboundPerNode } = ports.config().migrations
  const own = contenderOf(ports, migration)
  const ofGuest = ports.migrations.list(namespace).filter(({ spec }) => spec.vmiName === migration.spec.vmiName)
  const pauseMs = pauseOf(migration, ofGuest, ports.clock.now())
  const others = ports.migrations
    .list()
    .filter((other) => !isOver(other))
    .map((other) => contenderOf(ports, other))
  return {
    migration,
    vmi,
    target: targetOf(ports, migration),
    wait: waitFor(pauseMs, isNext(own, others, { cluster, outboundPerNode }) ? 0 : waitOf(migration)),
    garbage: garbageOf(ofGuest),
  }
}

function waitFor(pauseMs: number, turnMs: number): Observed['wait'] {
  if (pauseMs > 0) return { ms: pauseMs, reason: 'MigrationBackoff' }
  return turnMs > 0 ? { ms: turnMs } : undefined
}

function contenderOf(ports: Ports, migration: Observed['migration']): Contender {
  const vmi = ports.vmis.get(migration.metadata.namespace ?? '', migration.spec.vmiName ?? '')
  const state = vmi?.status?.migrationState
  const isOwn = state !== undefined && state.migrationUid === migration.metadata.uid
  return {
    migration,
    sourceNode: isOwn ? state.sourceNode : vmi?.status?.nodeName,
    isRunning: targetOf(ports, migration) !== undefined,
  }
}

function targetOf(ports: Ports, migration: Observed['migration']): Observed['target'] {
  const vmi = ports.vmis.get(migration.metadata.namespace ?? '', migration.spec.vmiName ?? '')
  return ports.pods.byIndex(podsByVmi, vmi?.metadata.uid ?? '').find((pod) => isTargetOf(migration, pod))
}
