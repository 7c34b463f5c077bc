import { join } from 'node:path'
import { watchChanges } from '../qmp/changes.ts'
import { queryRunState } from '../qmp/commands.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import type { TestQemu } from '../guest.fixture.ts'
import { advanceIncoming, takeOver, type IncomingPlan } from './incoming.ts'
import { advanceOutgoing, type OutgoingPlan, type OutgoingState } from './outgoing.ts'
import type { MigrationSettings } from './settings.ts'
import type { LowWater } from './timeouts.ts'

/** Settings of a quick migration. */
export const quickly: MigrationSettings = { maxDowntimeMs: 900, autoConverge: false, postCopy: false }

/** Both sides' plans, over unix sockets in the target's folder. */
export function plansFor(
  target: Pick<TestQemu, 'folder'>,
  change: Partial<OutgoingPlan> = {},
): { readonly outgoing: OutgoingPlan; readonly incoming: IncomingPlan } {
  const memory = { kind: 'unix', path: join(target.folder, 'memory') } as const
  const storage = { kind: 'unix', path: join(target.folder, 'storage') } as const
  const outgoing: OutgoingPlan = {
    id: 'one',
    memory,
    storage,
    settings: quickly,
    disks: [],
    limits: { progressTimeoutMs: 150_000, completionTimeoutMsPerGib: 150_000, allowPostCopy: false, allowWorkloadDisruption: false },
    runs: true,
    cancel: false,
    startedMs: performance.now(),
    ...change,
  }
  const nodes = outgoing.disks.map(({ node }) => node)
  return {
    outgoing,
    incoming: {
      memory: outgoing.memory,
      settings: outgoing.settings,
      ...(nodes.length === 0 ? {} : { storage: { endpoint: storage, nodes } }),
    },
  }
}

/** Drives a source until its part is over, or until the caller has seen enough. */
export async function driveSource(
  qmp: QmpConnection,
  plan: OutgoingPlan,
  look: (state: OutgoingState) => boolean | Promise<boolean> = () => false,
): Promise<OutgoingState> {
  let low: LowWater | undefined
  using changes = watchChanges(qmp)
  for (;;) {
    const state = await advanceOutgoing(qmp, plan, performance.now(), low)
    low = state.low
    if (state.step.kind === 'end' || (await look(state))) return state
    if (state.step.kind === 'wait') await changes.next(50)
  }
}

/** Moves a guest, as two node agents would. */
export async function move(source: TestQemu, target: TestQemu, change: Partial<OutgoingPlan> = {}): Promise<OutgoingState> {
  const { outgoing, incoming } = plansFor(target, change)
  await advanceIncoming(target.qmp, incoming)
  const state = await driveSource(source.qmp, outgoing)
  if (state.step.kind !== 'end' || state.step.outcome !== 'completed') return state
  if ((await queryRunState(target.qmp)) === 'running') throw new Error('The target runs before it was told to')
  await takeOver(target.qmp, outgoing.runs)
  return state
}
