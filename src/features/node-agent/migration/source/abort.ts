import { advanceOutgoing, resume } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { recheckIn } from '#runtime/controller/reconcile.ts'
import { reportEnd } from '#features/node-agent/guest/report-end.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { isCancelled, planOf, type SourceMigration } from './context.ts'
import { awaitChange, pollAgain, qmpTimeoutMs } from '../polling.ts'
import { patchMigrationState } from '../migration-state.ts'
import { onlyActivePod } from '../active-pods.ts'
import type { MigrationWait } from '#features/node-agent/guest/guest.ts'
import { finish, type Progress } from '#features/node-agent/guest/progress.ts'

/**
 * Limit in milliseconds for the target to take ownership; an agent restart takes some seconds. The
 * guest does not run meanwhile.
 */
const ownershipTimeoutMs = 10_000
/**
 * Limit in milliseconds for a silent target after the source QEMU has ended: only the target can
 * still have the guest.
 */
const targetTimeoutMs = 300_000

const notOwned = 'the target did not take over the guest in time'

/** Returns why the target can no longer take the guest; undefined while it can. */
export function refusalOf({ sourceState, targetState }: SourceMigration['state']): string | undefined {
  return targetState?.steadyvm?.gone ?? (sourceState?.steadyvm?.revoked === true ? notOwned : undefined)
}

/**
 * Waits for the target's write of ownership, which precedes its `cont`. After the limit the source
 * revokes the release with one write. Both writes have a resourceVersion precondition, so only one
 * of them succeeds.
 */
export async function awaitTargetOwnership(ports: Ports, { guest, vmi, state }: SourceMigration): Promise<Progress> {
  // Post-copy cannot be reverted: each side has part of the memory.
  if (state.mode === 'PostCopy') return awaitChange()
  const ms = timeLeftMs(ports, guest, 'ownership', ownershipTimeoutMs)
  if (ms > 0) return finish(recheckIn(ms))
  return { again: true, vmi: await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { revoked: true } } }) }
}

/**
 * Handles the exit of the source QEMU: from now on only the target can have the guest. A target
 * that has never listened has nothing.
 */
export async function handleSourceExit(ports: Ports, migration: SourceMigration): Promise<Progress> {
  const { guest, vmi, state } = migration
  if (state.targetNodeAddress === undefined || refusalOf(state) !== undefined) {
    return reportFailure(ports, migration, { outcome: 'failed', reason: 'the source QEMU has ended' })
  }
  if (state.sourceState?.steadyvm?.gone !== true) {
    return { again: true, vmi: await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { gone: true } } }) }
  }
  const ms = timeLeftMs(ports, guest, 'target-after-source-exit', targetTimeoutMs)
  if (ms > 0) return finish(recheckIn(ms))
  return { again: true, vmi: await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { revoked: true } } }) }
}

function timeLeftMs({ clock }: Ports, guest: SourceMigration['guest'], kind: MigrationWait['kind'], limitMs: number): number {
  const now = clock.now()
  return guest.waitFor(kind, now).sinceMs + limitMs - now
}

/** Resumes the guest on the source: the target will never own it. */
export async function abortAndResume(ports: Ports, migration: SourceMigration, reason: string): Promise<Progress> {
  const { mode, startTimestamp, targetNodeAddress } = migration.state
  if (mode === 'PostCopy') {
    // QEMU cannot resume the source after the switch to post-copy.
    return reportEnd(ports, migration.vmi, {
      phase: 'Failed',
      reason: 'GuestLost',
      message: `the target had a part of its memory: ${reason}`,
    })
  }
  const hasBegun = startTimestamp !== undefined && startTimestamp !== null && targetNodeAddress !== undefined
  const ending = hasBegun ? await cancelInQemu(ports, migration, reason) : { outcome: 'failed', reason }
  return ending === undefined ? pollAgain() : reportFailure(ports, migration, ending)
}

/** Outcome of a migration attempt. */
interface Ending {
  readonly outcome: string
  readonly reason: string
}

/**
 * Cancels the attempt in QEMU and resumes the guest if it ran. Returns the outcome; undefined until
 * QEMU is done. The target's QEMU ends on cancellation too, and its report may arrive first; the
 * source's QEMU still knows that it was cancelled.
 */
export async function cancelInQemu(ports: Ports, migration: SourceMigration, reason: string): Promise<Ending | undefined> {
  const { guest, observed } = migration
  const plan = { ...planOf(ports, migration), refused: reason }
  // In `postmigrate` QEMU considers the guest gone; `cont` reverts that first.
  if (observed.runState === 'postmigrate' && plan.runs) await guest.query((qmp) => resume(qmp), qmpTimeoutMs)
  const outcome = await guest.query((qmp) => advanceOutgoing(qmp, plan, ports.clock.now(), guest.lowestRemaining), qmpTimeoutMs)
  const step = outcome?.step
  if (step?.kind !== 'end' && step?.kind !== 'begin') return undefined
  const isCalledOff = step.kind === 'end' && step.outcome === 'cancelled' && isCancelled(migration)
  return isCalledOff ? step : { outcome: 'failed', reason }
}

/** Marks the migration failed; the guest keeps running on the source. */
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
