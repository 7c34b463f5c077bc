import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { activeMigration } from '#features/vmi/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { QmpCommandError, readMigration, sendRest } from '#qemu/index.ts'
import { recheckIn, type Result } from '#runtime/controller/reconcile.ts'
import type { Progress } from '#features/node-agent/guest/progress.ts'
import type { Guest } from '#features/node-agent/guest/guest.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { pollAgain, qmpTimeoutMs } from '../polling.ts'
import { ranBefore } from '../source-launch.ts'
import type { SourceMigration } from './context.ts'
import { streams } from '../settings.ts'
import { cancelInQemu } from './abort.ts'
import { patchMigrationState } from '../migration-state.ts'

/** Milliseconds between checks of a source that post-copy still needs. */
const pollIntervalMs = 1_000
/** Run states of a guest that a migration has stopped. */
const stoppedRunStates: ReadonlySet<string> = new Set(['postmigrate', 'finish-migrate'])

/**
 * Resumes a guest whose migration was declared failed while this agent was down. Undefined when
 * nothing has to be done. Reads the API, because the cache may be older than the migration.
 */
export async function resumeAfterFailedMigration(
  ports: Ports,
  { guest, record, vmi, observed }: Omit<SourceMigration, 'state'>,
): Promise<Progress | undefined> {
  const { name = '', namespace = '', uid } = vmi.metadata
  if (!stoppedRunStates.has(observed.runState ?? '') || observed.stopSinceMs !== undefined) return undefined
  const now: VirtualMachineInstance = await ports.client.get(virtualMachineInstances, { namespace, name })
  const state = now.status?.migrationState
  const isOver = state?.failed === true && activeMigration(now) === undefined && now.status?.phase === 'Running'
  if (now.metadata.uid !== uid || now.status?.nodeName !== ports.nodeName || !isOver || !ranBefore(state)) return undefined
  await cancelInQemu(ports, { guest, record, vmi, observed, state }, 'the migration is over')
  return pollAgain()
}

/**
 * Supervises the source of a post-copy migration: reconnects a cut stream, and reports the source's
 * exit to the waiting target. Undefined when there is nothing to supervise.
 */
export async function superviseFormerSource(
  ports: Ports,
  guest: Guest,
  { vmi: { namespace, name, uid } }: LaunchRecord,
): Promise<Result | undefined> {
  const isGone = (await guest.inspect()).kind === 'gone'
  const status = isGone ? undefined : (await guest.query(readMigration, qmpTimeoutMs))?.status
  if (!isGone && status?.startsWith('postcopy-') !== true) return undefined
  const vmi = await ports.client.get(virtualMachineInstances, { namespace, name }).catch(() => undefined)
  const state = vmi === undefined || vmi.metadata.uid !== uid ? undefined : activeMigration(vmi)
  if (vmi === undefined || state?.mode !== 'PostCopy' || state.sourceNode !== ports.nodeName) return undefined
  if (!isGone) {
    if (status === 'postcopy-paused') await reconnectSource(ports, guest, state)
    return recheckIn(pollIntervalMs)
  }
  if (state.sourceState?.steadyvm?.gone !== true) await patchMigrationState(ports, vmi, { sourceState: { steadyvm: { gone: true } } })
  return undefined
}

async function reconnectSource(
  { log }: Ports,
  guest: Guest,
  { targetNodeAddress: host = '', targetDirectMigrationNodePorts }: State,
): Promise<void> {
  const memory = { kind: 'tcp', host, port: targetDirectMigrationNodePorts?.[streams.memory] ?? 0 } as const
  const launcher = await guest.inspect()
  if (launcher.kind !== 'running') return
  try {
    await guest.query((qmp) => sendRest(qmp, memory, launcher.identity.pid), qmpTimeoutMs)
  } catch (error) {
    if (!(error instanceof QmpCommandError)) throw error
    log.debug({ error, pod: guest.podUid }, 'The rest of a guest cannot be sent')
  }
}

type State = VirtualMachineInstanceMigrationState
