import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { DiskCopyRequest, DiskCopyState, VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeBackup, VolumeSnapshotState } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VolumeSnapshot } from '#api/snapshot-storage/v1/volume-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { activeMigration } from '#features/vmi/index.ts'

/** A volume of a snapshot, and what exists of its backup. */
export interface BackupLook {
  readonly backup: VolumeBackup
  /** Target of a copy by a guest's QEMU. */
  readonly claim?: PersistentVolumeClaim | undefined
  /** Attaches the claim to the node of the guest. */
  readonly pod?: Pod | undefined
  /** Copy by a worker. */
  readonly dataVolume?: DataVolume | undefined
  readonly volumeSnapshot?: VolumeSnapshot | undefined
}

/** The volumes of a snapshot that is being taken. */
export interface ObservedVolumes {
  /** UID of the snapshot. */
  readonly id: string
  readonly snapshotName: string
  /** UID of the guest that ran when the VM was captured. */
  readonly guestUid: string | undefined
  /** The guest of the VM now. */
  readonly vmi: VirtualMachineInstance | undefined
  /** Launcher pod of the guest. */
  readonly launcher: Pod | undefined
  readonly looks: readonly BackupLook[]
}

/** What was found out while the volumes were backed up. */
export interface VolumesTaken {
  /** Instant of the guest. Absent: that of the content. */
  readonly creationTime?: string
  /** Indication of what the guest agent did. */
  readonly quiesce?: string
  readonly volumeSnapshotStatus?: readonly VolumeSnapshotState[]
}

/** The next action for the volumes of a snapshot. */
export type VolumeStep =
  | { readonly kind: 'createDataVolumes' | 'createVolumeSnapshots'; readonly backups: readonly VolumeBackup[] }
  /** Makes what gets the copies, and attaches it. The pods wait for the claims. */
  | {
      readonly kind: 'createTargets'
      readonly claims: readonly VolumeBackup[]
      readonly pods: readonly VolumeBackup[]
      readonly launcher: Pod
      readonly vmi: VirtualMachineInstance
    }
  /** Asks the node agent of the guest. */
  | { readonly kind: 'request'; readonly vmi: VirtualMachineInstance; readonly request: DiskCopyRequest }
  /** Lets the guest write again: all its snapshots were taken. */
  | { readonly kind: 'thaw'; readonly vmi: VirtualMachineInstance; readonly taken: VolumesTaken }
  | { readonly kind: 'complete'; readonly taken: VolumesTaken }
  | { readonly kind: 'wait'; readonly why: string; readonly isPolled?: boolean }
  | { readonly kind: 'fail'; readonly why: string }

/** Decides the next action for the volumes of a snapshot. Pure. */
export function decideVolumes(observed: ObservedVolumes): VolumeStep {
  const { looks, guestUid, vmi } = observed
  const isGone = vmi === undefined || isVmiFinal(vmi) || vmi.metadata.uid !== guestUid
  if (guestUid === undefined && vmi !== undefined && !isVmiFinal(vmi))
    return { kind: 'fail', why: 'The guest was started while its volumes were copied' }
  const bySnapshots = looks.every(({ backup }) => backup.volumeSnapshotName !== undefined)
  if (bySnapshots) return decideSnapshots(observed, isGone ? undefined : vmi)
  if (guestUid === undefined) return decideWorkers(looks)
  if (isGone) return { kind: 'fail', why: 'The guest ended before its volumes were copied' }
  return decideGuest(observed, vmi)
}

function decideWorkers(looks: readonly BackupLook[]): VolumeStep {
  const missing = looks.filter(({ dataVolume }) => dataVolume === undefined)
  if (missing.length > 0) return { kind: 'createDataVolumes', backups: missing.map(({ backup }) => backup) }
  const failed = looks.find(({ dataVolume }) => dataVolume?.status?.phase === 'Failed')
  if (failed !== undefined)
    return { kind: 'fail', why: `The copy of volume "${failed.backup.volumeName}" has failed: ${problemOf(failed.dataVolume)}` }
  const copying = looks.find(({ dataVolume }) => dataVolume?.status?.phase !== 'Succeeded')
  if (copying === undefined) return { kind: 'complete', taken: {} }
  const { phase = 'Pending', progress = '' } = copying.dataVolume?.status ?? {}
  const part = progress === '' || progress === 'N/A' ? phase : `${phase} ${progress}`
  return { kind: 'wait', why: `Copying volume "${copying.backup.volumeName}": ${part}` }
}

/** Returns why a DataVolume is not filled. */
export function problemOf(dataVolume: DataVolume | undefined): string {
  const running = dataVolume?.status?.conditions?.find(({ type }) => type === 'Running')
  return running?.message ?? `DataVolume ${dataVolume?.metadata.name ?? ''} has failed`
}

function decideGuest({ id, snapshotName, looks, launcher }: ObservedVolumes, vmi: VirtualMachineInstance): VolumeStep {
  const { diskCopy, diskCopyState } = vmi.status?.steadyvm ?? {}
  const state = diskCopyState?.id === id ? diskCopyState : undefined
  if (state?.phase === 'Failed') return { kind: 'fail', why: state.message ?? 'The copy of the volumes has failed' }
  if (state?.phase === 'Complete') return { kind: 'complete', taken: takenFrom(state) }
  const isRequested = diskCopy?.id === id
  if (isRequested)
    return { kind: 'wait', why: state === undefined ? 'Waiting for the node agent' : `Copying volumes: ${state.percent ?? 0} %` }
  const obstacle = obstacleOf(vmi)
  if (obstacle !== undefined) return { kind: 'wait', why: obstacle }
  if (launcher === undefined) return { kind: 'wait', why: 'Waiting for the launcher pod of the guest' }
  const claims = looks.filter(({ claim }) => claim === undefined).map(({ backup }) => backup)
  const pods = looks.filter(({ pod }) => pod === undefined).map(({ backup }) => backup)
  if (claims.length + pods.length > 0) return { kind: 'createTargets', claims, pods, launcher, vmi }
  const ended = looks.find(({ pod }) => pod !== undefined && isPodTerminal(pod))
  if (ended !== undefined) return { kind: 'fail', why: `The pod that attaches the copy of volume "${ended.backup.volumeName}" has ended` }
  const waiting = looks.find(({ pod }) => pod === undefined || isBeingDeleted(pod) || pod.status?.phase !== 'Running')
  if (waiting !== undefined)
    return {
      kind: 'wait',
      why: `Waiting for claim "${waiting.backup.steadyvm?.copyClaimName ?? ''}" to be attached to the node of the guest`,
    }
  const disks = looks.map(({ backup, pod }) => ({
    volume: backup.volumeName,
    claimName: backup.steadyvm?.copyClaimName ?? '',
    volumeMode: backup.persistentVolumeClaim.spec?.volumeMode ?? 'Filesystem',
    podUid: pod?.metadata.uid ?? '',
  }))
  return { kind: 'request', vmi, request: { id, snapshotName, disks } }
}

function takenFrom({ startTime, quiesce }: DiskCopyState): VolumesTaken {
  return { ...(startTime === undefined ? {} : { creationTime: startTime }), ...(quiesce === undefined ? {} : { quiesce }) }
}

/** Returns why nothing can be asked of the guest now. A migration has another QEMU. */
function obstacleOf(vmi: VirtualMachineInstance): string | undefined {
  const { diskCopy } = vmi.status?.steadyvm ?? {}
  if (diskCopy) return `The volumes are being copied for VirtualMachineSnapshot "${diskCopy.snapshotName}"`
  if (vmi.status?.phase !== 'Running') return 'Waiting for the guest to run'
  return activeMigration(vmi) === undefined ? undefined : 'Waiting for the migration of the guest to end'
}

/** The writes of a guest are held back from before the first snapshot until all were taken. */
function decideSnapshots({ id, snapshotName, looks }: ObservedVolumes, vmi: VirtualMachineInstance | undefined): VolumeStep {
  const { diskCopy, diskCopyState } = vmi?.status?.steadyvm ?? {}
  const state = diskCopyState?.id === id ? diskCopyState : undefined
  const missing = looks.filter(({ volumeSnapshot }) => volumeSnapshot === undefined)
  if (vmi !== undefined && missing.length === looks.length && state === undefined) {
    if (diskCopy?.id === id) return { kind: 'wait', why: 'Waiting for the node agent' }
    const obstacle = obstacleOf(vmi)
    return obstacle === undefined ? { kind: 'request', vmi, request: { id, snapshotName, disks: [] } } : { kind: 'wait', why: obstacle }
  }
  if (missing.length > 0) return { kind: 'createVolumeSnapshots', backups: missing.map(({ backup }) => backup) }
  const states = looks.map(({ volumeSnapshot }) => stateOf(volumeSnapshot))
  const taken: VolumesTaken = {
    ...(state === undefined ? {} : takenFrom(state)),
    ...(state?.startTime === undefined && typeof states[0]?.creationTime === 'string' ? { creationTime: states[0].creationTime } : {}),
    volumeSnapshotStatus: states,
  }
  const error = states.find((one) => one.error !== undefined)
  const untaken = states.find(({ creationTime }) => creationTime === undefined)
  if (untaken !== undefined) {
    const why = error?.error?.message ?? `Waiting for VolumeSnapshot "${untaken.volumeSnapshotName}"`
    return { kind: 'wait', why, isPolled: true }
  }
  if (vmi !== undefined && diskCopy?.id === id) return { kind: 'thaw', vmi, taken }
  const unready = states.find(({ readyToUse }) => readyToUse !== true)
  if (unready === undefined) return { kind: 'complete', taken }
  return {
    kind: 'wait',
    why: error?.error?.message ?? `VolumeSnapshot "${unready.volumeSnapshotName}" is not ready to use`,
    isPolled: true,
  }
}

function stateOf(volumeSnapshot: VolumeSnapshot | undefined): VolumeSnapshotState {
  const { creationTime, readyToUse = false, error } = volumeSnapshot?.status ?? {}
  const message = error?.['message']
  return {
    volumeSnapshotName: volumeSnapshot?.metadata.name ?? '',
    ...(creationTime === undefined ? {} : { creationTime }),
    readyToUse,
    ...(typeof message === 'string' ? { error: { message } } : {}),
  }
}
