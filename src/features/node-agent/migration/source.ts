import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import {
  advanceOutgoing,
  cpuFacts,
  cpuFeaturesOf,
  readHotplugged,
  resume,
  type OutgoingPlan,
  type OutgoingState,
  type QmpConnection,
} from '#qemu/index.ts'
import { timestamp } from '#runtime/clock.ts'
import { done, recheckIn } from '#runtime/controller/reconcile.ts'
import type { Progress } from '../act.ts'
import { endingOf, type Observed } from '../decide.ts'
import type { Guest } from '../guest.ts'
import type { Ports } from '../ports.ts'
import { readHandedLaunch, writeHandedLaunch } from './handed-launch.ts'
import { copiedDisks, limitsOf, settingsOf, streams } from './settings.ts'
import { say } from './word.ts'

/** Milliseconds that QEMU may take for a step: connections to the target are made in some. */
const stepTimeoutMs = 20_000
/** Milliseconds between two looks at a stream that flows. */
const lookAgainMs = 100

/** A guest that is to leave this node. */
export interface Leaving {
  readonly guest: Guest
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
  readonly observed: Observed
}

/** Takes the source's next step. Undefined when there is none, and the guest is to be looked after as ever. */
export async function leaveStep(ports: Ports, leaving: Leaving): Promise<Progress | undefined> {
  const { vmi, state, observed } = leaving
  if (observed.launcher === 'gone') return sourceGone(ports, leaving)
  if (observed.runState === undefined) return undefined
  if (state.sourceState?.steadyvm?.released === true && state.targetState?.steadyvm?.gone === undefined) return stop()
  if (state.sourceState?.steadyvm?.launch === undefined) return describe(ports, leaving)
  if (state.targetState?.steadyvm?.gone !== undefined) return takeBack(ports, leaving, state.targetState.steadyvm.gone)
  if (state.targetNodeAddress === undefined) {
    return isCancelled(leaving) ? failed(ports, leaving, { outcome: 'cancelled', reason: 'the migration was aborted' }) : stop()
  }
  if (state.startTimestamp === undefined || state.startTimestamp === null) {
    const updated = await say(ports, vmi, { startTimestamp: timestamp(ports.clock.now()), mode: 'PreCopy' })
    ports.recorder.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.')
    return { again: true, vmi: updated }
  }
  return drive(ports, leaving)
}

/** Whether somebody has changed their mind, or wants the guest to end, or it has ended by itself. */
function isCancelled({ state, observed }: Leaving): boolean {
  const hasEnded = observed.runState !== undefined && endingOf(observed.runState) !== undefined
  return hasEnded || state.abortRequested === true || observed.stopSinceMs !== undefined
}

/** Nobody but the target can say now whether the guest lives. A target that has never listened has nothing. */
async function sourceGone(ports: Ports, { vmi, state }: Leaving): Promise<Progress> {
  if (state.targetNodeAddress === undefined || state.targetState?.steadyvm?.gone !== undefined) {
    const updated = await say(ports, vmi, ending(ports, 'the source QEMU has ended'), activeOnlyAt(vmi, ports.nodeName))
    return { again: true, vmi: updated }
  }
  if (state.sourceState?.steadyvm?.gone !== true) await say(ports, vmi, { sourceState: { steadyvm: { gone: true } } })
  return stop()
}

/** Tells the target what the guest is. */
async function describe(ports: Ports, { guest, record, vmi, observed }: Leaving): Promise<Progress> {
  const seen = await guest.talk(async (qmp) => {
    const [hotplugged, facts, version] = await Promise.all([
      readHotplugged(qmp),
      cpuFacts(qmp),
      qmp.execute('query-version') as Promise<{
        readonly qemu: { readonly major: number; readonly minor: number; readonly micro: number }
      }>,
    ])
    const { major, minor, micro } = version.qemu
    return { hotplugged, cpuFeatures: cpuFeaturesOf(facts), qemuVersion: `${major}.${minor}.${micro}` }
  }, stepTimeoutMs)
  if (seen === undefined) return { again: false, result: recheckIn(lookAgainMs) }
  const { gracePeriodSeconds, startPaused, arguments: args, domain, leftOut } = record
  const kept = { gracePeriodSeconds, startPaused, arguments: args, domain, ...(leftOut === undefined ? {} : { leftOut }) }
  const launch = writeHandedLaunch({ ...seen, record: kept, runs: observed.runState === 'running' })
  guest.low = undefined
  return { again: true, vmi: await say(ports, vmi, { sourceState: { steadyvm: { launch } } }) }
}

async function drive(ports: Ports, leaving: Leaving): Promise<Progress> {
  const { guest, vmi } = leaving
  const outcome = await guest.talk((qmp) => advanceOutgoing(qmp, planOf(ports, leaving), ports.clock.now(), guest.low), stepTimeoutMs)
  if (outcome === undefined) return { again: false, result: recheckIn(lookAgainMs) }
  guest.low = outcome.low
  const { step } = outcome
  ports.log.debug({ vmi: vmi.metadata.name, step: step.kind, status: outcome.observed.report.status }, 'Step of a migration')
  if (step.kind === 'wait') return { again: false, result: recheckIn(lookAgainMs) }
  if (step.kind !== 'end') return { again: true, vmi }
  if (step.outcome !== 'completed') return failed(ports, leaving, step)
  // The target may run the guest only after this has been written.
  await say(ports, vmi, { sourceState: { steadyvm: { released: true } } })
  return stop()
}

/** The target has ended before it was given the guest, so that it goes on here. */
async function takeBack(ports: Ports, leaving: Leaving, reason: string): Promise<Progress> {
  const { guest, observed } = leaving
  if (observed.runState === 'postmigrate') await guest.talk((qmp) => wake(qmp), stepTimeoutMs)
  const started = leaving.state.startTimestamp ?? undefined
  if (started === undefined || leaving.state.targetNodeAddress === undefined) return failed(ports, leaving, { outcome: 'failed', reason })
  const outcome: OutgoingState | undefined = await guest.talk(
    (qmp) => advanceOutgoing(qmp, { ...planOf(ports, leaving), cancel: true }, ports.clock.now(), guest.low),
    stepTimeoutMs,
  )
  if (outcome === undefined || (outcome.step.kind !== 'end' && outcome.step.kind !== 'begin')) {
    return { again: false, result: recheckIn(lookAgainMs) }
  }
  return failed(ports, leaving, { outcome: 'failed', reason })
}

async function wake(qmp: QmpConnection): Promise<void> {
  await resume(qmp)
}

function planOf({ migrationTls }: Ports, leaving: Leaving): OutgoingPlan {
  const { state, record } = leaving
  const at = (stream: string): number => state.targetDirectMigrationNodePorts?.[stream] ?? 0
  const host = state.targetNodeAddress ?? ''
  return {
    id: state.migrationUid ?? '',
    memory: { kind: 'tcp', host, port: at(streams.memory) },
    storage: { kind: 'tcp', host, port: at(streams.storage) },
    settings: settingsOf(state, migrationTls),
    disks: copiedDisks(record.domain),
    limits: limitsOf(state),
    runs: readHandedLaunch(state.sourceState?.steadyvm?.launch ?? '{}').runs,
    cancel: isCancelled(leaving),
    startedMs: Date.parse(state.startTimestamp ?? ''),
  }
}

async function failed(
  ports: Ports,
  { vmi, state }: Leaving,
  { outcome, reason }: { readonly outcome: string; readonly reason: string },
): Promise<Progress> {
  const wasAborted = state.abortRequested === true
  const abort = wasAborted ? { abortRequested: true, abortStatus: outcome === 'cancelled' ? 'Succeeded' : 'Failed' } : {}
  const updated = await say(
    ports,
    vmi,
    { ...ending(ports, reason), ...abort, sourceState: { steadyvm: null } },
    activeOnlyAt(vmi, ports.nodeName),
  )
  ports.recorder.event(
    vmi,
    'Warning',
    'Migrated',
    `VirtualMachineInstance migration uid ${state.migrationUid ?? ''} failed. reason: ${reason}`,
  )
  return { again: true, vmi: updated }
}

function ending(
  { clock }: Ports,
  failureReason: string,
): Pick<VirtualMachineInstanceMigrationState, 'completed' | 'failed' | 'endTimestamp' | 'failureReason'> {
  return { completed: true, failed: true, endTimestamp: timestamp(clock.now()), failureReason }
}

/** A guest that stays has one pod again. */
function activeOnlyAt(
  { status }: VirtualMachineInstance,
  node: string,
): { readonly status: { readonly activePods: Record<string, string | null> } } {
  const active = Object.entries(status?.activePods ?? {}).map(([uid, at]) => [uid, at === node ? at : null] as const)
  return { status: { activePods: Object.fromEntries(active) } }
}

function stop(): Progress {
  return { again: false, result: done }
}
