import { advanceOutgoing } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Progress } from '#features/node-agent/guest/progress.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { handOverCertificates } from '../handed-certificates.ts'
import { publishLaunch } from './describe.ts'
import { isCancelled, planOf, type SourceMigration } from './context.ts'
import { awaitChange, pollAgain, qmpTimeoutMs } from '../polling.ts'
import { awaitTargetOwnership, reportFailure, refusalOf, handleSourceExit, abortAndResume } from './abort.ts'
import { patchMigrationState, type MigrationStatePatch } from '../migration-state.ts'

/** Takes the source's next step. Undefined when the lifecycle applies instead. */
export async function advanceSource(ports: Ports, migration: SourceMigration): Promise<Progress | undefined> {
  const { vmi, state, observed } = migration
  if (observed.launcher === 'gone') return handleSourceExit(ports, migration)
  if (observed.runState === undefined) return undefined
  const refusal = refusalOf(state)
  const word = state.sourceState?.steadyvm
  if (word?.released === true && refusal === undefined) return awaitTargetOwnership(ports, migration)
  // Before the target listens nothing has to be cancelled in QEMU, and the guest needs no queries.
  const isAborted = state.targetNodeAddress === undefined && isCancelled(migration)
  if (isAborted && refusal === undefined)
    return reportFailure(ports, migration, { outcome: 'cancelled', reason: 'the migration was aborted' })
  if (word?.launch === undefined) return publishLaunch(ports, migration)
  if (refusal !== undefined) return abortAndResume(ports, migration, refusal)
  if (state.targetNodeAddress === undefined) return awaitChange()
  if (state.startTimestamp === undefined || state.startTimestamp === null) {
    const updated = await patchMigrationState(ports, vmi, { startTimestamp: timestamp(ports.clock.now()), mode: 'PreCopy' })
    ports.recorder.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.')
    return { again: true, vmi: updated }
  }
  return advanceStream(ports, migration)
}

async function advanceStream(ports: Ports, migration: SourceMigration): Promise<Progress> {
  const { guest, record, vmi } = migration
  const plan = planOf(ports, migration)
  await handOverCertificates({ paths: guest.paths, record }, ports.migrationCertificates)
  const outcome = await guest.query((qmp) => advanceOutgoing(qmp, plan, ports.clock.now(), guest.lowestRemaining), qmpTimeoutMs)
  if (outcome === undefined) return pollAgain()
  guest.lowestRemaining = outcome.low
  const { step, observed } = outcome
  guest.outgoing = step.kind === 'end' ? undefined : { observed }
  ports.log.debug({ vmi: vmi.metadata.name, step: step.kind, status: observed.report.status }, 'Step of a migration')
  if (observed.report.status.startsWith('postcopy-')) return releaseToTarget(ports, vmi, { mode: 'PostCopy' })
  if (step.kind === 'wait') return pollAgain()
  if (step.kind !== 'end') return { again: true, vmi }
  if (step.outcome !== 'completed') return reportFailure(ports, migration, step)
  return releaseToTarget(ports, vmi, {})
}

/** Allows the target to run the guest. */
async function releaseToTarget(ports: Ports, vmi: SourceMigration['vmi'], more: MigrationStatePatch): Promise<Progress> {
  return { again: true, vmi: await patchMigrationState(ports, vmi, { ...more, sourceState: { steadyvm: { released: true } } }) }
}
