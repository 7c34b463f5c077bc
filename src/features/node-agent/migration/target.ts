import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launchRecordVersion, type IncomingPorts, type LaunchRecord } from '#features/launcher/index.ts'
import { names, podsByVmi } from '#features/vmi/index.ts'
import {
  advanceIncoming,
  compatibility,
  DiskImageError,
  incomingArguments,
  takeOver,
  type IncomingPlan,
  type Relocate,
} from '#qemu/index.ts'
import { timestamp } from '#runtime/clock.ts'
import { done, recheckIn } from '#runtime/controller/reconcile.ts'
import type { Progress } from '../act.ts'
import type { Guest } from '../guest.ts'
import { guestSockets } from '../guest-domain.ts'
import { prepareGuestFiles, type GuestFiles } from '../guest-files.ts'
import { UnsupportedGuest } from '../host.ts'
import { describeExit, launcherExitOf } from '../launcher-exit.ts'
import type { Ports } from '../ports.ts'
import { readHandedLaunch, type HandedLaunch } from './handed-launch.ts'
import { copiedDisks, settingsOf, streams } from './settings.ts'
import { say } from './word.ts'

const stepTimeoutMs = 20_000
const lookAgainMs = 100
const exitPatienceMs = 3_000
const quitPatienceMs = 5_000

/** A guest that is to come to this node. */
export interface Coming {
  readonly guest: Guest
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
  readonly signal: AbortSignal
}

/** Takes the target's next step before the guest is its own. */
export async function comeStep(ports: Ports, coming: Coming): Promise<Progress> {
  const { guest, state, vmi } = coming
  const record = await guest.record()
  if (state.targetState?.steadyvm?.gone !== undefined) return stop()
  if (record === undefined) return launch(ports, coming)
  const launcher = await guest.inspect()
  if (launcher.kind === 'gone') return ended(ports, coming)
  const plan = incomingPlan(ports, state, record)
  const incoming = await guest
    .talk((qmp) => advanceIncoming(qmp, plan), stepTimeoutMs)
    .catch((error: unknown) => {
      ports.log.debug({ error, vmi: vmi.metadata.name }, 'The target cannot be asked')
      return undefined
    })
  if (incoming === undefined) {
    await guest.release()
    return look()
  }
  const source = state.sourceState?.steadyvm
  switch (incoming.kind) {
    case 'failed':
      return quit(ports, guest)
    case 'listening':
    case 'receiving':
      if (source?.gone === true) return quit(ports, guest)
      return state.targetNodeAddress === undefined ? listens(ports, coming, record) : look()
    case 'arriving':
    case 'running':
      return look()
    case 'arrived':
      // The source's word: until then it may take the guest back.
      return source?.released === true || source?.gone === true ? own(ports, coming) : look()
  }
}

/** Finishes the arrival of a guest that is this node's. Undefined when it cannot be asked. */
export async function arriveStep(ports: Ports, { guest, vmi, state }: Omit<Coming, 'signal'>): Promise<Progress | undefined> {
  const text = state.sourceState?.steadyvm?.launch
  const runs = text === undefined || readHandedLaunch(text).runs
  const taken = await guest.talk((qmp) => takeOver(qmp, runs).then(() => true), stepTimeoutMs)
  if (taken !== true) return undefined
  const now = timestamp(ports.clock.now())
  const updated = await say(ports, vmi, {
    targetNodeDomainDetected: true,
    targetNodeDomainReadyTimestamp: now,
    endTimestamp: now,
    completed: true,
    sourceState: { steadyvm: null },
    targetState: { ...state.targetState, domainDetected: true, domainReadyTimestamp: now },
  })
  ports.recorder.event(vmi, 'Normal', 'Migrated', 'The VirtualMachineInstance migrated to node ' + ports.nodeName + '.')
  return { again: true, vmi: updated }
}

/** From here on this node's agent is the only one that may run the guest; the source never wakes it again. */
async function own(ports: Ports, { guest, vmi, state }: Coming): Promise<Progress> {
  const pod = podOf(ports, vmi, guest)
  const active = Object.keys(vmi.status?.activePods ?? {}).map((uid) => [uid, uid === guest.podUid ? ports.nodeName : null] as const)
  const image = pod?.spec.containers[0]?.image
  const updated = await say(
    ports,
    vmi,
    { targetNodeDomainDetected: true },
    {
      labels: { [names.nodeNameLabel]: ports.nodeName },
      status: {
        nodeName: ports.nodeName,
        activePods: Object.fromEntries(active),
        evacuationNodeName: null,
        ...(image === undefined ? {} : { launcherContainerImageVersion: image }),
      },
    },
  )
  return (await arriveStep(ports, { guest, vmi: updated, state: updated.status?.migrationState ?? state })) ?? look()
}

async function launch(ports: Ports, coming: Coming): Promise<Progress> {
  const { guest, state, vmi } = coming
  const text = state.sourceState?.steadyvm?.launch
  if (text === undefined) return stop()
  try {
    await guest.launch(await received(ports, coming, readHandedLaunch(text)))
  } catch (error) {
    if (!(error instanceof UnsupportedGuest || error instanceof DiskImageError)) throw error
    return targetGone(ports, coming, error.message)
  }
  ports.recorder.event(vmi, 'Normal', 'PreparingTarget', 'VirtualMachineInstance Migration Target Prepared.')
  return look()
}

/** What the target is launched with: word by word the source's, with the files of this node. @throws UnsupportedGuest */
async function received(ports: Ports, { guest, vmi, signal }: Coming, handed: HandedLaunch): Promise<LaunchRecord> {
  const { host } = ports
  const { paths } = guest
  const { arguments: args, domain } = handed.record
  const source = { arguments: args, version: handed.qemuVersion, cpuFeatures: handed.cpuFeatures }
  const [obstacle] = compatibility(source, { accelerator: host.accelerator, capabilities: host })
  if (obstacle !== undefined) throw new UnsupportedGuest(obstacle.text)
  const sockets = guestSockets(paths)
  const files = await prepareGuestFiles(vmi, { paths, host, tpmSocket: sockets.tpm }, signal)
  const { name = '', namespace = '', uid = '' } = vmi.metadata
  return {
    ...handed.record,
    version: launchRecordVersion,
    vmi: { namespace, name, uid },
    pod: { uid: guest.podUid },
    before: files.tpmCommand === undefined ? [] : [files.tpmCommand],
    binary: host.qemuBinary,
    arguments: incomingArguments(args, relocation(guest, files), handed.hotplugged),
    domain,
    monitor: sockets.monitor,
    incoming: await freePorts(),
  }
}

/** Where the guest's files are on this node. */
function relocation({ paths }: Guest, files: GuestFiles): Relocate {
  return (path, { kind, id }) => {
    switch (kind) {
      case 'socket':
        return join(paths.runDirectory, basename(path))
      case 'log':
        return join(paths.privateDirectory, basename(path))
      case 'disk':
        return files.volumes.get(id.replace(/^file-/, ''))?.path ?? missing(id)
      case 'firmware':
        return (id === '0' ? files.firmware?.codePath : files.firmware?.variablesPath) ?? missing('firmware')
      case 'kernel':
        return (id === 'initrd' ? files.kernel?.initrdPath : files.kernel?.kernelPath) ?? missing(id)
      case 'device':
        return path
    }
  }
}

function missing(what: string): never {
  throw new UnsupportedGuest(`the guest was launched with "${what}", which it does not ask for any more`)
}

async function listens(ports: Ports, { vmi, state }: Coming, { incoming }: LaunchRecord): Promise<Progress> {
  if (incoming === undefined) return stop()
  const directMigrationNodePorts = { [streams.memory]: incoming.memory, [streams.storage]: incoming.storage }
  await say(ports, vmi, {
    targetNodeAddress: ports.migrationAddress,
    targetDirectMigrationNodePorts: directMigrationNodePorts,
    targetNodeDomainDetected: true,
    targetState: { ...state.targetState, nodeAddress: ports.migrationAddress, directMigrationNodePorts, domainDetected: true },
  })
  return look()
}

/** The kubelet tells soon why QEMU has ended, if there is one. */
async function ended(ports: Ports, coming: Coming): Promise<Progress> {
  const { guest, vmi } = coming
  const exit = launcherExitOf(podOf(ports, vmi, guest))
  guest.goneSinceMs ??= ports.clock.now()
  if (exit === 'awaited' && ports.clock.now() < guest.goneSinceMs + exitPatienceMs) return look()
  return targetGone(ports, coming, describeExit(exit))
}

/** It cannot have the guest, and never will. The source hears of it only after QEMU has really ended. */
async function targetGone(ports: Ports, { vmi }: Coming, reason: string): Promise<Progress> {
  await say(ports, vmi, { targetState: { steadyvm: { gone: reason } } })
  return stop()
}

async function quit(ports: Ports, guest: Guest): Promise<Progress> {
  await guest.end(ports.clock.now(), quitPatienceMs)
  return look()
}

function incomingPlan(
  { migrationAddress: host, migrationTls }: Ports,
  state: VirtualMachineInstanceMigrationState,
  record: LaunchRecord,
): IncomingPlan {
  const { memory = 0, storage = 0 } = record.incoming ?? {}
  const nodes = copiedDisks(record.domain).map(({ node }) => node)
  return {
    memory: { kind: 'tcp', host, port: memory },
    settings: settingsOf(state, migrationTls),
    ...(nodes.length === 0 ? {} : { storage: { endpoint: { kind: 'tcp', host, port: storage }, nodes } }),
  }
}

function podOf(ports: Ports, vmi: VirtualMachineInstance, guest: Guest): ReturnType<Ports['pods']['byIndex']>[number] | undefined {
  return ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '').find(({ metadata }) => metadata.uid === guest.podUid)
}

/** Chosen before QEMU starts and kept, since QEMU cannot be asked later where it serves disks. */
async function freePorts(): Promise<IncomingPorts> {
  const [memory, storage] = await Promise.all([freePort(), freePort()])
  return { memory, storage }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function look(): Progress {
  return { again: false, result: recheckIn(lookAgainMs) }
}

function stop(): Progress {
  return { again: false, result: done }
}
