import { advanceOutgoing } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock.ts'
import type { Progress } from '../../guest/progress.ts'
import type { Ports } from '../../guest/ports.ts'
import { publishLaunch } from './describe.ts'
import { isCancelled, planOf, type SourceMigration } from './context.ts'
import { awaitChange, pollAgain, qmpTimeoutMs } from '../polling.ts'
import { awaitTargetOwnership, reportFailure, refusalOf, handleSourceExit, abortAndResume } from './abort.ts'
import { patchMigrationState, type MigrationStatePatch } from '../migration-state.ts'

/** Takes the source's next step. Undefined when the lifecycle applies instead. */
export async function advanceSource(ports: Ports, leaving: SourceMigration): Promise<Progress | undefined> {
  const { vmi, state, observed } = leaving
  if (observed.launcher === 'gone') return handleSourceExit(ports, leaving)
  if (observed.runState === undefined) return undefined
  const refusal = refusalOf(state)
  const word = state.sourceState?.steadyvm
  if (word?.released === true && refusal === undefined) return awaitTargetOwnership(ports, leaving)
  // Before the target listens nothing has to be cancelled in QEMU, and the guest needs no queries.
  const isAborted = state.targetNodeAddress === undefined && isCancelled(leaving)
  if (isAborted && refusal === undefined)
    return reportFailure(ports, leaving, { outcome: 'cancelled', reason: 'the migration was aborted' })
  if (word?.launch === undefined) return publishLaunch(ports, leaving)
  if (refusal !== undefined) return abortAndResume(ports, leaving, refusal)
  if (state.targetNodeAddress === undefined) return awaitChange()
  if (state.startTimestamp === undefined || state.startTimestamp === null) {
    const updated = await patchMigrationState(ports, vmi, { startTimestamp: timestamp(ports.clock.now()), mode: 'PreCopy' })
    ports.recorder.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.')
    return { again: true, vmi: updated }
  }
  return drive(ports, leaving)
}

async function drive(ports: Ports, leaving: SourceMigration): Promise<Progress> {
  const { guest, vmi } = leaving
  const plan = planOf(ports, leaving)
  const outcome = await guest.query((qmp) => advanceOutgoing(qmp, plan, ports.clock.now(), guest.lowestRemaining), qmpTimeoutMs)
  if (outcome === undefined) return pollAgain()
  guest.lowestRemaining = outcome.low
  const { step, observed } = outcome
  guest.outgoing = step.kind === 'end' ? undefined : { observed }
  ports.log.debug({ vmi: vmi.metadata.name, step: step.kind, status: observed.report.status }, 'Step of a migration')
  if (observed.report.status.startsWith('postcopy-')) return letGo(ports, vmi, { mode: 'PostCopy' })
  if (step.kind === 'wait') return pollAgain()
  if (step.kind !== 'end') return { again: true, vmi }
  if (step.outcome !== 'completed') return reportFailure(ports, leaving, step)
  return letGo(ports, vmi, {})
}

/** Allows the target to run the guest. */
async function letGo(ports: Ports, vmi: SourceMigration['vmi'], more: MigrationStatePatch): Promise<Progress> {
  return { again: true, vmi: await patchMigrationState(ports, vmi, { ...more, sourceState: { steadyvm: { released: true } } }) }
}
