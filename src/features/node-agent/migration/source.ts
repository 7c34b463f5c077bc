import { advanceOutgoing } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock.ts'
import type { Progress } from '../act.ts'
import type { Ports } from '../ports.ts'
import { describe } from './describe.ts'
import { isCancelled, look, planOf, stepTimeoutMs, stop, type Leaving } from './leaving.ts'
import { awaitOwner, failed, refusalOf, sourceGone, takeBack } from './stay.ts'
import { say, type Word } from './word.ts'

/**
 * Takes the source's next step. Undefined when there is none, and the guest is to be looked after
 * as ever.
 */
export async function leaveStep(ports: Ports, leaving: Leaving): Promise<Progress | undefined> {
  const { vmi, state, observed } = leaving
  if (observed.launcher === 'gone') return sourceGone(ports, leaving)
  if (observed.runState === undefined) return undefined
  const refusal = refusalOf(state)
  const word = state.sourceState?.steadyvm
  if (word?.released === true && refusal === undefined) return awaitOwner(ports, leaving)
  // Before the target listens there is nothing that would have to be taken back, nor worth hundreds
  // of questions to a guest that works.
  const isAborted = state.targetNodeAddress === undefined && isCancelled(leaving)
  if (isAborted && refusal === undefined) return failed(ports, leaving, { outcome: 'cancelled', reason: 'the migration was aborted' })
  if (word?.launch === undefined) return describe(ports, leaving)
  if (refusal !== undefined) return takeBack(ports, leaving, refusal)
  if (state.targetNodeAddress === undefined) return stop()
  if (state.startTimestamp === undefined || state.startTimestamp === null) {
    const updated = await say(ports, vmi, { startTimestamp: timestamp(ports.clock.now()), mode: 'PreCopy' })
    ports.recorder.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.')
    return { again: true, vmi: updated }
  }
  return drive(ports, leaving)
}

async function drive(ports: Ports, leaving: Leaving): Promise<Progress> {
  const { guest, vmi } = leaving
  const plan = planOf(ports, leaving)
  const outcome = await guest.talk((qmp) => advanceOutgoing(qmp, plan, ports.clock.now(), guest.low), stepTimeoutMs)
  if (outcome === undefined) return look()
  guest.low = outcome.low
  const { step, observed } = outcome
  guest.flight = step.kind === 'end' ? undefined : { observed }
  ports.log.debug({ vmi: vmi.metadata.name, step: step.kind, status: observed.report.status }, 'Step of a migration')
  if (observed.report.status.startsWith('postcopy-')) return letGo(ports, vmi, { mode: 'PostCopy' })
  if (step.kind === 'wait') return look()
  if (step.kind !== 'end') return { again: true, vmi }
  if (step.outcome !== 'completed') return failed(ports, leaving, step)
  return letGo(ports, vmi, {})
}

/** The target may run the guest only after this has been written. */
async function letGo(ports: Ports, vmi: Leaving['vmi'], more: Word): Promise<Progress> {
  return { again: true, vmi: await say(ports, vmi, { ...more, sourceState: { steadyvm: { released: true } } }) }
}
