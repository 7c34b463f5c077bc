import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { names } from '#features/vmi/index.ts'
import { advanceIncoming, DiskImageError, QmpClosed, QmpCommandError, type IncomingPlan, type IncomingState } from '#qemu/index.ts'
import type { Progress } from '#features/node-agent/guest/progress.ts'
import { LauncherNotReady, type Guest } from '#features/node-agent/guest/guest.ts'
import { UnsupportedGuest } from '#features/node-agent/domain/unsupported-guest.ts'
import { describeExit, launcherExitOf } from '#features/node-agent/guest/launcher-exit.ts'
import { podOf, type Ports } from '#features/node-agent/guest/ports.ts'
import { plugArriving } from '#features/node-agent/volume-hotplug/arriving-volumes.ts'
import { parseSourceLaunch } from '../source-launch.ts'
import { onlyActivePod } from '../active-pods.ts'
import { finishMigration } from './finish.ts'
import { awaitChange, pollAgain, qmpTimeoutMs } from '../polling.ts'
import { certificatesInView, handOverCertificates } from '../handed-certificates.ts'
import { receivedLaunch, type IncomingGuest } from './received-launch.ts'
import { copiedDisks, offeredChannels, settingsOf, streams } from '../settings.ts'
import { patchMigrationState } from '../migration-state.ts'

/** Listen address of launch records without one, from older releases. */
const loopback = '127.0.0.1'
const exitPatienceMs = 3_000
const quitPatienceMs = 5_000

/** A guest with an incoming migration. */
export type TargetMigration = IncomingGuest

/** Takes the target's next step until this node owns the guest. */
export async function advanceTarget(ports: Ports, migration: TargetMigration): Promise<Progress> {
  const { guest, state } = migration
  const record = await guest.record()
  if (state.targetState?.steadyvm?.gone !== undefined) return awaitChange()
  if (record === undefined) return launch(ports, migration)
  const launcher = await guest.inspect()
  if (launcher.kind === 'gone') return ended(ports, migration)
  try {
    if (!(await hasVolumes(ports, migration, record))) return pollAgain()
  } catch (error) {
    if (error instanceof QmpClosed) return pollAgain()
    if (!(error instanceof UnsupportedGuest)) throw error
    ports.recorder.event(migration.vmi, 'Warning', 'VolumeNotReady', error.message)
    return quit(ports, guest)
  }
  const incoming = await receive(ports, migration, record)
  const source = state.sourceState?.steadyvm
  if (source?.revoked === true) return quit(ports, guest)
  if (incoming === undefined) {
    await guest.release()
    return pollAgain()
  }
  switch (incoming.kind) {
    case 'failed':
      return quit(ports, guest)
    case 'listening':
    case 'receiving':
      if (source?.gone === true) return quit(ports, guest)
      return state.targetNodeAddress === undefined ? listens(ports, migration, record) : pollAgain()
    case 'running':
      return pollAgain()
    case 'arriving':
    case 'arrived':
      // Until the release the source may resume the guest.
      return source?.released === true || source?.gone === true ? takeOwnership(ports, migration) : pollAgain()
  }
}

/**
 * Plugs the volumes of the guest in before QEMU listens for it. Reports whether they are there.
 * @throws UnsupportedGuest
 */
async function hasVolumes(ports: Ports, { guest, vmi, state }: TargetMigration, record: LaunchRecord): Promise<boolean> {
  const text = state.sourceState?.steadyvm?.launch
  const storage = text === undefined ? undefined : parseSourceLaunch(text).hotplugged.storage
  if (storage === undefined || state.targetNodeAddress !== undefined) return true
  await guest.release()
  return (await guest.query((qmp) => plugArriving(ports, { record, vmi }, storage, qmp), qmpTimeoutMs)) === true
}

/** Advances QEMU. Undefined when QEMU does not answer or has to be asked again. */
async function receive(ports: Ports, { guest, state, vmi }: TargetMigration, record: LaunchRecord): Promise<IncomingState | undefined> {
  await handOverCertificates({ paths: guest.paths, record }, ports.migrationCertificates)
  const plan = incomingPlan(ports, guest, { state, record })
  const settings = guest.withoutPostCopy ? { ...plan.settings, postCopy: false } : plan.settings
  try {
    return await guest.query((qmp) => advanceIncoming(qmp, { ...plan, settings }), qmpTimeoutMs)
  } catch (error) {
    if (error instanceof QmpCommandError && /post-?copy/i.test(error.message)) guest.withoutPostCopy = true
    ports.log.debug({ error, vmi: vmi.metadata.name }, 'The target cannot be asked')
    return undefined
  }
}

/** Takes ownership. From here on only this agent may resume the guest. */
async function takeOwnership(ports: Ports, { guest, vmi, state }: TargetMigration): Promise<Progress> {
  const pod = podOf(ports, guest, vmi)
  const image = pod?.spec.containers[0]?.image
  const updated = await patchMigrationState(
    ports,
    vmi,
    { targetNodeDomainDetected: true },
    {
      labels: { [names.nodeNameLabel]: ports.nodeName },
      status: {
        nodeName: ports.nodeName,
        // In post-copy the source pod must live until all memory is sent.
        ...(state.mode === 'PostCopy' ? {} : { activePods: onlyActivePod(vmi, guest.podUid, ports.nodeName) }),
        evacuationNodeName: null,
        ...(image === undefined ? {} : { launcherContainerImageVersion: image }),
      },
    },
  )
  return (await finishMigration(ports, { guest, vmi: updated, state: updated.status?.migrationState ?? state })) ?? pollAgain()
}

async function launch(ports: Ports, migration: TargetMigration): Promise<Progress> {
  const { guest, state, vmi } = migration
  const text = state.sourceState?.steadyvm?.launch
  if (text === undefined) return awaitChange()
  try {
    await guest.launch(await receivedLaunch(ports, migration, parseSourceLaunch(text)))
  } catch (error) {
    if (error instanceof LauncherNotReady) return pollAgain()
    if (!(error instanceof UnsupportedGuest || error instanceof DiskImageError)) throw error
    return targetGone(ports, migration, error.message)
  }
  ports.recorder.event(vmi, 'Normal', 'PreparingTarget', 'VirtualMachineInstance Migration Target Prepared.')
  return pollAgain()
}

async function listens(ports: Ports, { guest, vmi, state }: TargetMigration, { incoming }: LaunchRecord): Promise<Progress> {
  if (incoming === undefined) return awaitChange()
  const { host = loopback } = incoming
  const channels = offeredChannels(state)
  const directMigrationNodePorts = { [streams.memory]: incoming.memory, [streams.storage]: incoming.storage }
  await patchMigrationState(ports, vmi, {
    targetNodeAddress: host,
    targetDirectMigrationNodePorts: directMigrationNodePorts,
    targetNodeDomainDetected: true,
    targetState: {
      ...state.targetState,
      nodeAddress: host,
      directMigrationNodePorts,
      domainDetected: true,
      steadyvm: { ...(guest.withoutPostCopy ? { withoutPostCopy: true } : {}), ...(channels === undefined ? {} : { channels }) },
    },
  })
  return pollAgain()
}

/** Waits shortly for the kubelet to report QEMU's exit. */
async function ended(ports: Ports, migration: TargetMigration): Promise<Progress> {
  const { guest, vmi } = migration
  const exit = launcherExitOf(podOf(ports, guest, vmi))
  const now = ports.clock.now()
  if (exit === 'awaited' && now < guest.firstSeenMs('launcher-gone', now) + exitPatienceMs) return pollAgain()
  return targetGone(ports, migration, describeExit(exit))
}

/** Records that the target can never take the guest. Must follow the end of its QEMU. */
async function targetGone(ports: Ports, { vmi }: TargetMigration, reason: string): Promise<Progress> {
  await patchMigrationState(ports, vmi, { targetState: { steadyvm: { gone: reason } } })
  return awaitChange()
}

async function quit(ports: Ports, guest: Guest): Promise<Progress> {
  await guest.end(ports.clock.now(), quitPatienceMs)
  return pollAgain()
}

function incomingPlan(
  { migrationCertificates }: Ports,
  { paths }: Guest,
  { state, record }: { readonly state: VirtualMachineInstanceMigrationState; readonly record: LaunchRecord },
): IncomingPlan {
  const { host = loopback, memory = 0, storage = 0 } = record.incoming ?? {}
  const nodes = copiedDisks(record.domain).map(({ node }) => node)
  return {
    memory: { kind: 'tcp', host, port: memory },
    settings: settingsOf(state, 'target', certificatesInView({ paths, record }, migrationCertificates)),
    ...(nodes.length === 0 ? {} : { storage: { endpoint: { kind: 'tcp', host, port: storage }, nodes } }),
  }
}
