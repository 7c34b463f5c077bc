import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { awaitRest, QmpCommandError, readMigration, takeOver, type MigrationStatus, type QmpConnection } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { reportEnd } from '#features/node-agent/guest/report-end.ts'
import type { Progress } from '#features/node-agent/guest/progress.ts'
import { endingOf } from '#features/node-agent/guest/ending.ts'
import type { Guest } from '#features/node-agent/guest/guest.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { pollAgain, qmpTimeoutMs } from '../polling.ts'
import { ranBefore } from '../source-launch.ts'
import { patchMigrationState } from '../migration-state.ts'
import { onlyActivePod } from '../active-pods.ts'

/** Limit in milliseconds for an interrupted post-copy stream to recover. */
const reconnectTimeoutMs = 120_000
/** Milliseconds before the target listens again for the source. */
const relistenIntervalMs = 10_000

/** A migrated guest that this node owns. */
interface OwnedMigration {
  readonly guest: Guest
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
}

/** Resumes the guest and completes the migration. Undefined when QEMU does not answer. */
export async function finishMigration(ports: Ports, migration: OwnedMigration): Promise<Progress | undefined> {
  const { guest, vmi, state } = migration
  // A guest that powered off during the switch-over has migrated too; its end is reported next.
  const runState = await guest.runState()
  if (runState === undefined) return undefined
  const isAlive = endingOf(runState) === undefined
  const status = await guest.query((qmp) => settle(qmp, ranBefore(state) && isAlive), qmpTimeoutMs)
  if (status === undefined) return undefined
  if (status === 'postcopy-paused') return awaitReconnect(ports, migration)
  guest.stopWaiting()
  if (status.startsWith('postcopy-')) return pollAgain()
  const now = timestamp(ports.clock.now())
  const updated = await patchMigrationState(
    ports,
    vmi,
    {
      targetNodeDomainDetected: true,
      targetNodeDomainReadyTimestamp: now,
      endTimestamp: now,
      completed: true,
      sourceState: { steadyvm: null },
      targetState: { ...state.targetState, domainDetected: true, domainReadyTimestamp: now },
    },
    { status: { activePods: onlyActivePod(vmi, guest.podUid, ports.nodeName) } },
  )
  ports.recorder.event(vmi, 'Normal', 'Migrated', `The VirtualMachineInstance migrated to node ${ports.nodeName}.`)
  return { again: true, vmi: updated }
}

/** Resumes the guest and returns the state of its memory. */
async function settle(qmp: QmpConnection, runs: boolean): Promise<MigrationStatus> {
  await takeOver(qmp, runs)
  return (await readMigration(qmp)).status
}

/**
 * Waits for the source to reconnect. The guest is lost when the source ends: part of the memory was
 * only there.
 */
async function awaitReconnect(ports: Ports, { guest, vmi, state }: OwnedMigration): Promise<Progress> {
  const isGone = state.sourceState?.steadyvm?.gone === true
  const now = ports.clock.now()
  const { sinceMs, listeningSinceMs = -Infinity } = guest.waitFor('postcopy-recovery', now)
  if (!isGone && now < sinceMs + reconnectTimeoutMs) {
    if (now >= listeningSinceMs + relistenIntervalMs) await relisten(ports, guest, now)
    return pollAgain()
  }
  const message = `the stream of its memory was interrupted on the way from node ${state.sourceNode ?? ''}`
  return reportEnd(ports, vmi, { phase: 'Failed', reason: 'GuestLost', message })
}

/** Listens again; the source retries as long as it lives. */
async function relisten(ports: Ports, guest: Guest, nowMs: number): Promise<void> {
  const { incoming } = (await guest.record()) ?? {}
  if (incoming === undefined) return
  guest.listensSince(nowMs)
  const { host = '127.0.0.1', memory: port } = incoming
  try {
    await guest.query((qmp) => awaitRest(qmp, { kind: 'tcp', host, port }), qmpTimeoutMs)
  } catch (error) {
    // Another process may hold the port for a moment.
    if (!(error instanceof QmpCommandError)) throw error
    ports.log.warn({ error, pod: guest.podUid }, 'A guest cannot wait for the rest of its memory')
  }
}
