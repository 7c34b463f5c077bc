import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { Verdict } from '#features/hardware-record/index.ts'
import { launchRecordVersion, type LaunchRecord } from '#features/launcher/index.ts'
import { defaultGracePeriodSeconds } from '#features/vmi/index.ts'
import { buildArguments, deviceModels, DiskImageError, TooManyDevices, type Domain } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { done, recheckIn } from '#runtime/controller/reconcile.ts'
import type { Step } from './decide.ts'
import { nextTrial, type SpaceTrial } from './out-of-space.ts'
import { asLaunched } from '../domain/as-launched.ts'
import { guestDomainOf, guestSockets } from '../domain/domain.ts'
import { prepareGuestFiles } from '../volumes/prepare.ts'
import { runningStatus, hardwareRefusedStatus, interfacesReady, reportsSyncFailure, syncFailedStatus, hasNewSockets } from './status.ts'
import { LauncherNotReady, type Guest } from '../guest/guest.ts'
import { checkHugepages } from '../volumes/firmware-state.ts'
import { checkHardware } from '../hardware/check.ts'
import { hadPorts } from '../hardware/had-ports.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Host } from '../node/host.ts'
import { connectCards, reconcileCards } from '../hotplug/cards.ts'
import { resizeGuest } from '../hotplug/resize.ts'
import { unsupportedFeatures } from '../domain/unsupported-features.ts'
import { copyDisks } from '../disk-copy/copy-disks.ts'
import { dumpMemory, settleDumps } from '../memory-dump/dump-memory.ts'
import { growDisks } from '../volume-hotplug/growth.ts'
import { requestedVolumes } from '../volume-hotplug/requested-volumes.ts'
import { reconcileVolumes } from '../volume-hotplug/volumes.ts'
import { volumeEvents, volumesReady } from '../volume-hotplug/volume-status.ts'
import { podOf, type Ports } from '../guest/ports.ts'
import { finish, type Progress } from '../guest/progress.ts'
import { reportEnd } from '../guest/report-end.ts'
import { isFrozen } from '../guest-agent/freeze.ts'
import { isolationOf, launchPlace } from '../isolation/launch-isolation.ts'
import { addressesOf, attachCards } from '../network/attach-cards.ts'
import { tapName } from '../network/tap.ts'
import { patchStatus } from '../guest/patch-status.ts'

/** One guest, its launch record, and its VMI. */
export interface GuestContext {
  readonly guest: Guest
  readonly record: LaunchRecord | undefined
  readonly vmi: VirtualMachineInstance | undefined
}

/** Milliseconds between QMP `quit` and SIGKILL. */
export const quitPatienceMs = 5_000
/** Longest back-off, in milliseconds, of the connection to QEMU's monitor. */
const maxBackoffMs = 2_000
/** Milliseconds before the retry when the launcher's container has not started. */
const launcherRetryMs = 50
/** Milliseconds before a failed start is retried. */
const failedStartRetryMs = 30_000
/** Milliseconds before a refused hardware change is checked again. */
const refusalRetryMs = 5_000
/** Milliseconds before cards are looked at again that are not as their VMI wants them. */
const cardRecheckMs = 2_000
/** Milliseconds before volumes are looked at again that are being plugged or closed. */
const volumeRecheckMs = 200
/** Milliseconds before a disk is resized again that could not be. */
const diskRecheckMs = 10_000
/** Milliseconds before the retry when QEMU closed the monitor during a query. */
const disconnectedRetryMs = 100

/** Carries out one step. */
export async function act(ports: Ports, subject: GuestContext, step: Step, signal: AbortSignal): Promise<Progress> {
  const { guest, record, vmi } = subject
  switch (step.kind) {
    case 'none':
      return finish(done)
    case 'launch':
      return vmi === undefined ? finish(done) : launch(ports, guest, vmi, signal)
    case 'await':
      return awaitMonitor(guest)
    case 'resume':
      if (vmi !== undefined) {
        await connectCards(guest, vmi)
        // Firmware and guest find what is there already.
        if (record !== undefined && requestedVolumes(vmi, record.domain.disks).length > 0)
          await reconcileVolumes(ports, { guest, record, vmi })
      }
      await guest.resume()
      return { again: true, vmi }
    case 'startAgain':
      await guest.startAgain()
      if (vmi !== undefined)
        ports.recorder.event(vmi, 'Normal', 'Rebooted', 'The guest has powered off and starts again: a soft reboot was requested.')
      return { again: true, vmi }
    case 'watchdog':
      return expire(ports, subject, step.action)
    case 'pause':
      await guest.pause()
      if (vmi !== undefined) ports.recorder.event(vmi, 'Normal', 'Paused', 'VirtualMachineInstance paused')
      return { again: true, vmi }
    case 'unpause':
      return unpause(ports, guest, vmi)
    case 'tryForSpace':
      guest.spaceTrial = nextTrial(guest.spaceTrial, step.disks, ports.clock.now())
      await guest.resume()
      return { again: true, vmi }
    case 'show':
      return notLaterThan(step.againMs, await show(ports, subject, step.runState))
    case 'powerDown':
      return powerDown(ports, subject)
    case 'wait':
      return finish(recheckIn(step.ms))
    case 'end':
      return reportEnd(ports, vmi === undefined ? undefined : await settleDumps(ports, { guest, vmi }), step.ending)
    case 'quit':
      await guest.end(ports.clock.now(), quitPatienceMs)
      return finish(recheckIn(100))
    case 'cleanUp':
      await removeGuest(ports, guest)
      return finish(done)
  }
}

/** Removes what a guest that has ended leaves outside of its pod's directory. */
export async function removeGuest(
  { network, guests, agents, credentials, prober }: Pick<Ports, 'network' | 'guests' | 'agents' | 'credentials' | 'prober'>,
  guest: Guest,
): Promise<void> {
  agents?.forget(guest)
  credentials?.forget(guest)
  prober?.forget(guest)
  await network?.detach(guest.podUid)
  await guest.cleanUp()
  guests.forget(guest)
}

async function launch(ports: Ports, guest: Guest, vmi: VirtualMachineInstance, signal: AbortSignal): Promise<Progress> {
  let warning: string | undefined
  try {
    const record = await render(ports, guest, vmi, signal)
    const verdict = await checkHardware(ports, vmi, record)
    if (verdict.kind === 'refuse') return refuse(ports, vmi, verdict)
    warning = verdict.kind === 'tell' ? verdict.message : undefined
    await attachCards(ports, guest, vmi, record.domain)
    await guest.launch({ ...record, ...changeOf(verdict) })
  } catch (error) {
    if (error instanceof LauncherNotReady) return finish(recheckIn(launcherRetryMs))
    if (error instanceof UnsupportedGuest) return reportFailedStart(ports, vmi, error.message)
    // An aborted qemu-img run says nothing about the image.
    if (!(error instanceof DiskImageError) || signal.aborted) throw error
    // The VM's run strategy decides about a retry: the next launcher may find more space.
    return reportEnd(ports, vmi, { phase: 'Failed', reason: 'DiskImageError', message: error.message })
  }
  ports.recorder.event(vmi, 'Normal', 'Created', 'VirtualMachineInstance defined.')
  if (warning !== undefined) ports.recorder.event(vmi, 'Warning', 'HardwareChanged', warning)
  return { again: true, vmi }
}

function changeOf(verdict: Verdict): Pick<LaunchRecord, 'hardwareChanged'> {
  if (verdict.kind === 'silent') return { hardwareChanged: { reason: 'Allowed' } }
  return verdict.kind === 'tell' ? { hardwareChanged: { reason: verdict.reason, message: verdict.message } } : {}
}

/**
 * Reports a hardware change that the owner has to allow. Rechecks, because the answer is an
 * annotation of the VM, and the node agent does not watch VMs.
 */
async function refuse(
  ports: Ports,
  vmi: VirtualMachineInstance,
  { reason, message }: Extract<Verdict, { kind: 'refuse' }>,
): Promise<Progress> {
  if (!reportsSyncFailure(vmi, message)) {
    ports.recorder.event(vmi, 'Warning', 'HardwareChangeRefused', message)
    await patchStatus(ports, vmi, hardwareRefusedStatus(vmi, { reason, message }, timestamp(ports.clock.now())))
  }
  return finish(recheckIn(refusalRetryMs))
}

async function render(ports: Ports, guest: Guest, stored: VirtualMachineInstance, signal: AbortSignal): Promise<LaunchRecord> {
  const { host } = ports
  const { paths } = guest
  const { monitor } = guestSockets(paths.runDirectory)
  const pod = podOf(ports, guest, stored)
  const vmi = asLaunched(stored, pod)
  const place = await launchPlace(ports, guest, vmi)
  const [files, had] = await Promise.all([prepareGuestFiles(vmi, place, signal), hadPorts(ports, vmi)])
  if (ports.network !== undefined && pod?.status?.podIP === undefined)
    throw new LauncherNotReady(`the kubelet has not reported the address of pod ${guest.podUid}`)
  const address = ports.network?.addressOf(pod)
  const tapOf = address === undefined ? undefined : (card: string) => tapName(guest.podUid, card)
  const domain = guestDomainOf(vmi, { files, paths, host, nowMs: ports.clock.now(), tapOf, hadPorts: had })
  const { hugepageBytes } = domain.memory
  if (hugepageBytes !== undefined) await checkHugepages(domain.memory.bytes, hugepageBytes)
  const { name = '', namespace = '', uid = '' } = vmi.metadata
  return {
    version: launchRecordVersion,
    vmi: { namespace, name, uid },
    pod: { uid: guest.podUid },
    gracePeriodSeconds: vmi.spec.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds,
    startPaused: vmi.spec.startStrategy === 'Paused',
    before: files.tpmCommand === undefined ? [] : [files.tpmCommand],
    binary: host.qemuBinary,
    arguments: emulatedArguments(domain, host),
    domain,
    leftOut: unsupportedFeatures(vmi.spec, host, tapOf !== undefined),
    monitor,
    ...(await isolationOf(ports, { guest, vmi, files, domain })),
  }
}

/** Builds the command line. @throws UnsupportedGuest when this node's QEMU lacks a device */
function emulatedArguments(domain: Domain, host: Host): string[] {
  const args = toArguments(domain)
  const unknown = deviceModels(args).find((model) => !host.deviceModels.includes(model))
  if (unknown !== undefined) throw new UnsupportedGuest(`the QEMU of this node has no device "${unknown}"`)
  return args
}

function toArguments(domain: Domain): string[] {
  try {
    return buildArguments(domain)
  } catch (cause) {
    if (cause instanceof TooManyDevices) throw new UnsupportedGuest(cause.message, { cause })
    throw cause
  }
}

/** Rechecks with back-off: QEMU opens its monitor some 10 ms after its start, later under load. */
async function awaitMonitor(guest: Guest): Promise<Progress> {
  await guest.release()
  return finish(recheckIn(Math.min(maxBackoffMs, 15 * 1.2 ** guest.waits++)))
}

/** Ends the round with an earlier recheck. */
function notLaterThan(ms: number | undefined, progress: Progress): Progress {
  if (ms === undefined || progress.again) return progress
  return finish(recheckIn(Math.min(ms, progress.result.requeueAfterMs ?? ms)))
}

async function show(ports: Ports, { guest, record, vmi }: GuestContext, runState: string): Promise<Progress> {
  if (vmi === undefined || record === undefined) return finish(done)
  ports.prober?.follow(guest, vmi)
  const pod = podOf(ports, guest, vmi)
  const size = await resizeGuest(ports, { guest, record, vmi, pod, runState })
  const cards = size === undefined ? undefined : await reconcileCards(ports, { guest, record, vmi })
  const volumes = cards === undefined ? undefined : await reconcileVolumes(ports, { guest, record, vmi })
  const disks = volumes === undefined ? undefined : await growDisks(ports, { guest, record, vmi }, volumes.plugged)
  if (size === undefined || cards === undefined || volumes === undefined || disks === undefined)
    return finish(recheckIn(disconnectedRetryMs))
  const copies = await copyDisks(ports, { guest, record, vmi, runState, plugged: volumes.plugged })
  const dumps = await dumpMemory(ports, { guest, vmi, memoryBytes: size.memory.bytes })
  const now = timestamp(ports.clock.now())
  const starts = vmi.status?.phase !== 'Running'
  const hasAgent = await guest.isAgentConnected()
  const addresses = await addressesOf(ports, guest, vmi)
  if (hasAgent === false) for (const client of [ports.agents, ports.credentials]) client?.forget(guest)
  const credentials = hasAgent === true ? ports.credentials?.stateOf(guest, vmi) : undefined
  const facts = hasAgent === true ? ports.agents?.factsOf(guest) : undefined
  const { acceleratorReason } = ports.host
  const seen = {
    runState,
    size,
    cards,
    volumes,
    diskSizes: disks.bytes,
    addresses,
    hasAgent,
    isFrozen: await isFrozen(guest),
    facts,
    credentials,
    acceleratorReason,
    now,
  }
  const status = withVolumes(runningStatus(vmi, record, seen), dumps.statuses)
  const { state } = copies
  const isNews = state !== undefined && !deepEqual(state, vmi.status?.steadyvm?.diskCopyState)
  await patchStatus(
    ports,
    vmi,
    isNews ? { ...status, steadyvm: { diskCopyState: replaced(vmi.status?.steadyvm?.diskCopyState, state) } } : status,
  )
  const trouble = findCondition(status.conditions, interfacesReady)?.message
  if (trouble !== undefined && trouble !== findCondition(vmi.status?.conditions, interfacesReady)?.message)
    ports.recorder.event(vmi, 'Warning', 'InterfaceNotReady', trouble)
  const lack = findCondition(status.conditions, volumesReady)?.message
  if (lack !== undefined && lack !== findCondition(vmi.status?.conditions, volumesReady)?.message)
    ports.recorder.event(vmi, 'Warning', 'VolumeNotReady', lack)
  for (const { reason, message } of volumeEvents(vmi.status?.volumeStatus, status.volumeStatus))
    ports.recorder.event(vmi, 'Normal', reason, message)
  const wasStopped = findCondition(vmi.status?.conditions, 'Paused')?.reason === 'PausedIOError'
  if (runState === 'io-error' && !wasStopped) await reportDiskErrors(ports, guest, vmi)
  if (runState === 'running' && wasStopped && guest.spaceTrial !== undefined) reportSpace(ports, guest.spaceTrial, vmi)
  if (starts) ports.recorder.event(vmi, 'Normal', 'Started', 'VirtualMachineInstance started.')
  else if (hasNewSockets(vmi.status, status)) {
    ports.recorder.event(vmi, 'Normal', 'SocketsPlugged', `The running guest has taken up its ${size.sockets} sockets.`)
  }
  if (copies.againMs !== undefined) return finish(recheckIn(copies.againMs))
  if (dumps.againMs !== undefined) return finish(recheckIn(dumps.againMs))
  if (volumes.isChanging) return finish(recheckIn(volumeRecheckMs))
  if (disks.isSmaller) return finish(recheckIn(diskRecheckMs))
  if (cards.refused.size + volumes.refused.size > 0 || cards.isReleasing || volumes.isReleasing) return finish(recheckIn(cardRecheckMs))
  if (size.idleVcpus > 0) return finish(recheckIn(idleVcpusRecheckMs(ports, guest)))
  guest.clear('idle-vcpus')
  return finish(done)
}

/** Replaces the status of some volumes. */
function withVolumes(
  status: Partial<VirtualMachineInstanceStatus>,
  changed: ReadonlyMap<string, VolumeStatus>,
): Partial<VirtualMachineInstanceStatus> {
  if (status.volumeStatus === undefined || changed.size === 0) return status
  return { ...status, volumeStatus: status.volumeStatus.map((one) => changed.get(one.name) ?? one) }
}

/** Returns a merge patch that leaves only the wanted fields. */
function replaced<T extends object>(old: T | null | undefined, wanted: T | null): T | null {
  if (wanted === null) return null
  return { ...Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, null])), ...wanted }
}

/** Names the volumes whose errors have stopped the guest, in KubeVirt's words. */
async function reportDiskErrors({ recorder }: Ports, guest: Guest, vmi: VirtualMachineInstance): Promise<void> {
  for (const { disk, isFull } of (await guest.diskErrors()) ?? []) {
    const problem = isFull ? `not enough space on volume: ${disk}` : `IO error at the volume: ${disk}`
    recorder.event(vmi, 'Warning', 'IOerror', `VM Paused due to ${problem}`)
  }
}

function reportSpace({ recorder }: Ports, { disks }: SpaceTrial, vmi: VirtualMachineInstance): void {
  recorder.event(vmi, 'Normal', 'Unpaused', `VirtualMachineInstance unpaused: there is space again on volume: ${disks.join(', ')}`)
}

/**
 * Back-off in milliseconds. QEMU raises no event when a guest starts a vCPU, and the guest may
 * never do so.
 */
function idleVcpusRecheckMs({ clock }: Ports, guest: Guest): number {
  const now = clock.now()
  return Math.min(Math.max((now - guest.firstSeenMs('idle-vcpus', now)) / 2, 500), 60_000)
}

/**
 * Removes the request also when the guest stops again at once, by an I/O error: it would be resumed
 * for ever.
 */
async function unpause(ports: Ports, guest: Guest, vmi: VirtualMachineInstance | undefined): Promise<Progress> {
  guest.spaceTrial = undefined
  await guest.resume()
  if (vmi === undefined) return finish(done)
  const updated = await patchStatus(ports, vmi, { steadyvm: { paused: null } })
  ports.recorder.event(vmi, 'Normal', 'Unpaused', 'VirtualMachineInstance unpaused')
  return updated === undefined ? finish(done) : { again: true, vmi: updated }
}

/** Carries out the action of a watchdog that has expired. */
async function expire(ports: Ports, { guest, vmi }: GuestContext, action: 'reset' | 'shutdown'): Promise<Progress> {
  if (action === 'reset') await guest.startAgain()
  else {
    await guest.resume()
    await guest.pressPowerButton(ports.clock.now())
  }
  const consequence = action === 'reset' ? 'it is reset' : 'it is asked to power off'
  if (vmi !== undefined) ports.recorder.event(vmi, 'Warning', 'WatchdogExpired', `The watchdog of the guest has expired: ${consequence}.`)
  return { again: true, vmi }
}

async function powerDown(ports: Ports, { guest, vmi }: GuestContext): Promise<Progress> {
  if (guest.presses === undefined && vmi !== undefined) ports.recorder.event(vmi, 'Normal', 'ShuttingDown', 'Signaled Graceful Shutdown')
  await guest.pressPowerButton(ports.clock.now())
  return { again: true, vmi }
}

/** Reports why the guest cannot be started. Repeated attempts with the same error write nothing. */
async function reportFailedStart(ports: Ports, vmi: VirtualMachineInstance, message: string): Promise<Progress> {
  if (!reportsSyncFailure(vmi, message)) {
    ports.recorder.event(vmi, 'Warning', 'SyncFailed', message)
    await patchStatus(ports, vmi, syncFailedStatus(vmi, message, timestamp(ports.clock.now())))
  }
  return finish(recheckIn(failedStartRetryMs))
}
