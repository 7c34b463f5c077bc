import { pause, queryRunState, resume } from '../qmp/commands.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { QmpCommandError } from '../qmp/errors.ts'
import { decideOutgoing, remainingBytes, type OutgoingObserved, type OutgoingStep, type OutgoingWish } from './decide-outgoing.ts'
import { clearDiskCopies, finishDiskCopy, readDiskCopies, startDiskCopy } from './disk-copies.ts'
import { migrationUri, type Endpoint } from './endpoint.ts'
import { readMigration } from './report.ts'
import { readNote, writeNote } from './note.ts'
import { configure, readCertificates, type MigrationSettings } from './settings.ts'
import { lowWater, type LowWater } from './timeouts.ts'

/** Inputs of a source. Constant during the migration, except for `cancel` and `refused`. */
export interface OutgoingPlan extends OutgoingWish {
  /** Tells this attempt from earlier ones of the same guest. Letters, digits, `-`. */
  readonly id: string
  /** Endpoints of the target: for memory, and for disks if any are copied. */
  readonly memory: Endpoint
  readonly storage?: Endpoint
  readonly settings: MigrationSettings
}

/** The source after a step. */
export interface OutgoingState {
  readonly step: OutgoingStep
  readonly observed: OutgoingObserved
  /** Pass it to the next call; without it, the measurement of progress starts again. */
  readonly low: LowWater
}

/**
 * Advances the source by one step and returns its state. The next action is derived from QEMU's
 * answers alone: each call may come from another process, and the previous one may have been killed
 * at any point. The migration is over when the step is `end`. @throws QmpCommandError when QEMU
 * refuses a command
 */
export async function advanceOutgoing(qmp: QmpConnection, plan: OutgoingPlan, nowMs: number, before?: LowWater): Promise<OutgoingState> {
  const observed = await observeOutgoing(qmp, plan.id)
  const low = lowWater(before, { status: observed.report.status, remainingBytes: remainingBytes(observed) }, nowMs)
  const step = decideOutgoing(observed, plan, low, nowMs)
  try {
    await act(qmp, plan, step, observed)
  } catch (error) {
    if (!(error instanceof QmpCommandError)) throw error
    // The migration proceeds between query and command. A refusal is an error only if the command
    // is still needed.
    const later = await observeOutgoing(qmp, plan.id)
    if (decideOutgoing(later, plan, low, nowMs).kind === step.kind) throw error
  }
  return { step, observed, low }
}

/** Asks the source's QEMU. */
export async function observeOutgoing(qmp: QmpConnection, id: string): Promise<OutgoingObserved> {
  const [report, runState, copies, note] = await Promise.all([
    readMigration(qmp),
    queryRunState(qmp),
    readDiskCopies(qmp),
    readNote(qmp, id),
  ])
  return { report, runState, copies, note }
}

async function act(qmp: QmpConnection, plan: OutgoingPlan, step: OutgoingStep, { copies }: OutgoingObserved): Promise<void> {
  const { id, settings, storage } = plan
  switch (step.kind) {
    case 'begin':
      await readCertificates(qmp, settings.tls, 'source')
      return writeNote(qmp, id, { phase: 'begun' })
    case 'copyDisk':
      if (storage !== undefined) await startDiskCopy(qmp, step.disk, { storage, settings })
      return
    case 'start':
      await configure(qmp, settings, 'source', plan.disks.length > 0)
      await qmp.execute('migrate', { uri: migrationUri(plan.memory) })
      return writeNote(qmp, id, { phase: 'started' })
    case 'noteStart':
      return writeNote(qmp, id, { phase: 'started' })
    case 'finishCopy':
      return finishDiskCopy(qmp, step.node)
    case 'switchOver':
      await qmp.execute('migrate-continue', { state: 'pre-switchover' })
      return
    case 'postCopy':
      await qmp.execute('migrate-start-postcopy')
      return
    case 'pauseGuest':
      return pause(qmp)
    case 'giveUp':
      return writeNote(qmp, id, { phase: step.outcome, reason: step.reason })
    case 'cancel':
      await qmp.execute('migrate_cancel')
      return
    case 'clear':
      return clearDiskCopies(qmp, copies)
    case 'resumeGuest':
      return resume(qmp)
    case 'wait':
    case 'end':
      return
  }
}
