import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { awaitRest, QmpCommandError, readMigration, takeOver, type MigrationStatus, type QmpConnection } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock.ts'
import { reportEnd } from '../../guest/report-end.ts'
import type { Progress } from '../../guest/progress.ts'
import { endingOf } from '../../guest/ending.ts'
import type { Guest } from '../../guest/guest.ts'
import type { Ports } from '../../guest/ports.ts'
import { pollAgain, qmpTimeoutMs } from '../polling.ts'
import { ranBefore } from '../source-launch.ts'
import { patchMigrationState } from '../migration-state.ts'
import { onlyActivePod } from '../active-pods.ts'

/**
 * Milliseconds for which a guest waits for the rest of its memory when its stream is cut: networks
 * come back.
 */
const cutPatienceMs = 120_000
/** Milliseconds after which a target listens anew for a source that has not come. */
const listenAgainMs = 10_000

/** A guest that is this node's. */
interface OwnedMigration {
  readonly guest: Guest
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
}

/** Finishes the arrival of a guest. Undefined when it cannot be asked. */
export async function finishMigration(ports: Ports, arriving: OwnedMigration): Promise<Progress | undefined> {
  const { guest, vmi, state } = arriving
  // It may have powered off in the last moment before it came: then it has come all the same, and
  // its end is told next.
  const runState = await guest.runState()
  if (runState === undefined) return undefined
  const isAlive = endingOf(runState) === undefined
  const status = await guest.query((qmp) => settle(qmp, ranBefore(state) && isAlive), qmpTimeoutMs)
  if (status === undefined) return undefined
  if (status === 'postcopy-paused') return cut(ports, arriving)
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

/** Lets the guest run, and says how much of it is here. */
async function settle(qmp: QmpConnection, runs: boolean): Promise<MigrationStatus> {
  await takeOver(qmp, runs)
  return (await readMigration(qmp)).status
}

/**
 * A guest whose memory is in two places lives only as long as both talk to each other. What is
 * missing here is nowhere once the source has ended.
 */
async function cut(ports: Ports, { guest, vmi, state }: OwnedMigration): Promise<Progress> {
  const isGone = state.sourceState?.steadyvm?.gone === true
  const now = ports.clock.now()
  const { sinceMs, listeningSinceMs = -Infinity } = guest.waitFor('postcopy-recovery', now)
  if (!isGone && now < sinceMs + cutPatienceMs) {
    if (now >= listeningSinceMs + listenAgainMs) await listenAgain(ports, guest, now)
    return pollAgain()
  }
  const message = `the stream of its memory was cut on the way from node ${state.sourceNode ?? ''}`
  return reportEnd(ports, vmi, { phase: 'Failed', reason: 'GuestLost', message })
}

/** The source tries to come back as long as it lives. */
async function listenAgain(ports: Ports, guest: Guest, nowMs: number): Promise<void> {
  const { incoming } = (await guest.record()) ?? {}
  if (incoming === undefined) return
  guest.listensSince(nowMs)
  const { host = '127.0.0.1', memory: port } = incoming
  try {
    await guest.query((qmp) => awaitRest(qmp, { kind: 'tcp', host, port }), qmpTimeoutMs)
  } catch (error) {
    // The port may be somebody else's for a moment.
    if (!(error instanceof QmpCommandError)) throw error
    ports.log.warn({ error, pod: guest.podUid }, 'A guest cannot wait for the rest of its memory')
  }
}
