import { advanceOutgoing, resume } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock.ts'
import { recheckIn } from '#runtime/controller/reconcile.ts'
import { reportEnd } from '../../guest/report-end.ts'
import type { Ports } from '../../guest/ports.ts'
import { isCancelled, planOf, type SourceMigration } from './context.ts'
import { awaitChange, pollAgain, qmpTimeoutMs } from '../polling.ts'
import { patchMigrationState } from '../migration-state.ts'
import { onlyActivePod } from '../active-pods.ts'
import type { MigrationWait } from '../../guest/guest.ts'
import { finish, type Progress } from '../../guest/progress.ts'

/**
 * Milliseconds that a guest may stand still between two nodes. An agent that is started again needs
 * some seconds.
 */
const ownerPatienceMs = 10_000
/**
 * Milliseconds for which a guest that is nowhere but at a silent target is not given up: what ran
 * here has ended.
 */
const lastHopeMs = 300_000

const notOwned = 'the target did not take over the guest in time'

/** Why the guest is not to be the target's any more. Undefined while it may become so. */
export function refusalOf({ sourceState, targetState }: SourceMigration['state']): string | undefined {
  return targetState?.steadyvm?.gone ?? (sourceState?.steadyvm?.revoked === true ? notOwned : undefined)
}

/**
 * The target makes the guest its own with one write, and only then lets it run. Should that take
 * too long, the source takes back its word, with one write as well: as each is made of the state
 * that was seen, one of the two fails, whatever either side knows of the other.
 */
export async function awaitTargetOwnership(ports: Ports, { guest, vmi, state }: SourceMigration): Promise<Progress> {
  // There is no way back from where each side has a part of the guest.
  if (state.mode === 'PostCopy') return awaitChange()
  const ms = timeLeftMs(ports, guest, 'ownership', ownerPatienceMs)
  if (ms > 0) return finish(recheckIn(ms))
  return { again: true, vmi: await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { revoked: true } } }) }
}

/**
 * Nobody but the target can say now whether the guest lives. A target that has never listened has
 * nothing.
 */
export async function handleSourceExit(ports: Ports, leaving: SourceMigration): Promise<Progress> {
  const { guest, vmi, state } = leaving
  if (state.targetNodeAddress === undefined || refusalOf(state) !== undefined) {
    return reportFailure(ports, leaving, { outcome: 'failed', reason: 'the source QEMU has ended' })
  }
  if (state.sourceState?.steadyvm?.gone !== true) {
    return { again: true, vmi: await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { gone: true } } }) }
  }
  const ms = timeLeftMs(ports, guest, 'target-after-source-exit', lastHopeMs)
  if (ms > 0) return finish(recheckIn(ms))
  return { again: true, vmi: await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { revoked: true } } }) }
}

function timeLeftMs({ clock }: Ports, guest: SourceMigration['guest'], kind: MigrationWait['kind'], limitMs: number): number {
  const now = clock.now()
  return guest.waitFor(kind, now).sinceMs + limitMs - now
}

/** The target will never have the guest, so that it goes on here. */
export async function abortAndResume(ports: Ports, leaving: SourceMigration, reason: string): Promise<Progress> {
  const { mode, startTimestamp, targetNodeAddress } = leaving.state
  if (mode === 'PostCopy') {
    // QEMU has no command by which it would take up again what it has begun to give away in pieces.
    return reportEnd(ports, leaving.vmi, {
      phase: 'Failed',
      reason: 'GuestLost',
      message: `the target had a part of its memory: ${reason}`,
    })
  }
  const hasBegun = startTimestamp !== undefined && startTimestamp !== null && targetNodeAddress !== undefined
  const ending = hasBegun ? await cancelInQemu(ports, leaving, reason) : { outcome: 'failed', reason }
  return ending === undefined ? pollAgain() : reportFailure(ports, leaving, ending)
}

/** How an attempt has ended. */
interface Ending {
  readonly outcome: string
  readonly reason: string
}

/**
 * Takes out of QEMU what is left of an attempt that will come to nothing for that reason, and lets
 * the guest run again if it did. How the attempt has ended; undefined while that is not done. A
 * target's QEMU ends when the attempt is called off, and that may be heard of before this side has
 * finished: QEMU remembers what it was told.
 */
export async function cancelInQemu(ports: Ports, leaving: SourceMigration, reason: string): Promise<Ending | undefined> {
  const { guest, observed } = leaving
  const plan = { ...planOf(ports, leaving), refused: reason }
  // For QEMU, the guest has gone: that is taken back first.
  if (observed.runState === 'postmigrate' && plan.runs) await guest.query((qmp) => resume(qmp), qmpTimeoutMs)
  const outcome = await guest.query((qmp) => advanceOutgoing(qmp, plan, ports.clock.now(), guest.lowestRemaining), qmpTimeoutMs)
  const step = outcome?.step
  if (step?.kind !== 'end' && step?.kind !== 'begin') return undefined
  const isCalledOff = step.kind === 'end' && step.outcome === 'cancelled' && isCancelled(leaving)
  return isCalledOff ? step : { outcome: 'failed', reason }
}

/** Says that the guest stays. */
export async function reportFailure(ports: Ports, { guest, vmi, state }: SourceMigration, { outcome, reason }: Ending): Promise<Progress> {
  guest.outgoing = undefined
  const abort = state.abortRequested === true ? { abortStatus: outcome === 'cancelled' ? 'Succeeded' : 'Failed' } : {}
  const ending = { completed: true, failed: true, endTimestamp: timestamp(ports.clock.now()), failureReason: reason }
  const updated = await patchMigrationState(
    ports,
    vmi,
    { ...ending, ...abort, sourceState: { steadyvm: null } },
    {
      status: { activePods: onlyActivePod(vmi, guest.podUid, ports.nodeName) },
    },
  )
  ports.recorder.event(
    vmi,
    'Warning',
    'Migrated',
    `VirtualMachineInstance migration uid ${state.migrationUid ?? ''} failed. reason: ${reason}`,
  )
  return { again: true, vmi: updated }
}
