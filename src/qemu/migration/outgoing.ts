import { queryRunState, resume } from '../qmp/commands.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { decideOutgoing, remainingBytes, type OutgoingObserved, type OutgoingStep, type OutgoingWish } from './decide-outgoing.ts'
import { clearDiskCopies, finishDiskCopy, readDiskCopies, startDiskCopy } from './disk-copies.ts'
import { migrationUri, type Endpoint } from './endpoint.ts'
import { readMigration } from './report.ts'
import { configure, objectNames, readCertificates, type MigrationSettings } from './settings.ts'
import { lowWater, type LowWater } from './timeouts.ts'

/** All that a source has to know. It is not changed while the migration lasts, but for `cancel`. */
export interface OutgoingPlan extends OutgoingWish {
  /** Tells this attempt from earlier ones of the same guest. Letters, digits, `-`. */
  readonly id: string
  /** Where the target listens for memory, and for disks if there are any to copy. */
  readonly memory: Endpoint
  readonly storage?: Endpoint
  readonly settings: MigrationSettings
}

/** The source after a step. */
export interface OutgoingState {
  readonly step: OutgoingStep
  readonly observed: OutgoingObserved
  /** To be given to the next call; without it, being stuck is measured anew. */
  readonly low: LowWater
}

/**
 * Brings the source one step further and says where it is. What is done next comes from QEMU's answers alone: whoever calls may be another process each time,
 * and the last one may have been killed at any point. The migration is over when the step is `end`.
 */
export async function advanceOutgoing(qmp: QmpConnection, plan: OutgoingPlan, nowMs: number, before?: LowWater): Promise<OutgoingState> {
  const observed = await observeOutgoing(qmp, plan.id)
  const low = lowWater(before, { status: observed.report.status, remainingBytes: remainingBytes(observed) }, nowMs)
  const step = decideOutgoing(observed, plan, low, nowMs)
  await act(qmp, plan, step, observed)
  return { step, observed, low }
}

/** Asks the source's QEMU. */
export async function observeOutgoing(qmp: QmpConnection, id: string): Promise<OutgoingObserved> {
  const [report, runState, copies, names] = await Promise.all([
    readMigration(qmp),
    queryRunState(qmp),
    readDiskCopies(qmp),
    objectNames(qmp),
  ])
  return { report, runState, copies, marked: names.includes(markOf(id)) }
}

async function act(qmp: QmpConnection, plan: OutgoingPlan, step: OutgoingStep, { copies }: OutgoingObserved): Promise<void> {
  const { settings, storage } = plan
  switch (step.kind) {
    case 'copyDisk':
      if (copies.length === 0) await readCertificates(qmp, settings.tls, 'source')
      if (storage !== undefined) await startDiskCopy(qmp, step.disk, { storage, settings })
      return
    case 'start':
      return start(qmp, plan, copies.length > 0)
    case 'mark':
      return mark(qmp, plan.id)
    case 'finishCopy':
      return finishDiskCopy(qmp, step.node)
    case 'switchOver':
      await qmp.execute('migrate-continue', { state: 'pre-switchover' })
      return
    case 'postCopy':
      await qmp.execute('migrate-start-postcopy')
      return
    case 'pauseGuest':
      await qmp.execute('stop')
      return
    case 'cancel':
      await qmp.execute('migrate_cancel')
      return
    case 'clear':
      await clearDiskCopies(qmp)
      return
    case 'resumeGuest':
      return resume(qmp)
    case 'wait':
    case 'end':
      return
  }
}

async function start(qmp: QmpConnection, { id, memory, settings }: OutgoingPlan, copiesRun: boolean): Promise<void> {
  if (!copiesRun) await readCertificates(qmp, settings.tls, 'source')
  await configure(qmp, settings, 'source')
  await qmp.execute('migrate', { uri: migrationUri(memory) })
  await mark(qmp, id)
}

/**
 * Leaves a mark in QEMU itself, an object that nobody uses: what it says of "the migration" from here on is of this one. The mark comes after the start. In
 * the other order, a process that was killed in between would leave an earlier attempt's failure marked as this one's.
 */
async function mark(qmp: QmpConnection, id: string): Promise<void> {
  for (const name of await objectNames(qmp)) {
    if (name.startsWith(markPrefix) && name !== markOf(id)) await qmp.execute('object-del', { id: name })
  }
  await qmp.execute('object-add', { 'qom-type': 'secret', id: markOf(id), data: 'started' })
}

const markPrefix = 'migration-mark-'

function markOf(id: string): string {
  return `${markPrefix}${id}`
}
