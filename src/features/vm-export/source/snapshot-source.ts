import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent, VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { VolumeSnapshot } from '#api/snapshot-storage/v1/volume-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { filledClaimSpec, leastSizeOf } from '#features/snapshot/index.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { restoredClaimNameOf } from '../names.ts'
import { holdsDisk } from './content.ts'
import { initializing, notReady, type SourceCondition, type SourceState, type SourceVolume } from './source.ts'

/** What is known of a snapshot that is exported. */
export interface ObservedSnapshot {
  readonly vmExport: VirtualMachineExport
  readonly snapshot: VirtualMachineSnapshot | undefined
  /** Of its content. None: it has no content, or none yet. */
  readonly volumes: readonly SnapshotVolume[]
  /** The VM at that time, expanded, or why it is not. */
  readonly hardware?: { readonly vm: VirtualMachine } | { readonly vm: undefined; readonly problem: string } | undefined
}

/** A volume of a snapshot, and the claim that its export reads. */
export interface SnapshotVolume {
  readonly backup: VolumeBackup
  readonly claimName: string
  readonly claim: PersistentVolumeClaim | undefined
  /** What a claim that does not exist is filled from. */
  readonly volumeSnapshot: VolumeSnapshot | undefined
  /** A guest has the claim. */
  readonly isInUse: boolean
}

/** Returns the backups to export: one of each claim, whose name is a part of the URLs. Pure. */
export function backupsToExport({ spec }: VirtualMachineSnapshotContent): VolumeBackup[] {
  const seen = new Set<string>()
  return (spec.volumeBackups ?? []).filter((backup) => {
    const name = publicName(backup)
    if (name === '' || seen.has(name)) return false
    seen.add(name)
    return true
  })
}

/**
 * Returns the claim that is read: the copy itself, which only ever is a source, or one that is made
 * for the export from a VolumeSnapshot, by the name that KubeVirt gives it. Pure.
 */
export function claimNameOfBackup(vmExport: VirtualMachineExport, backup: VolumeBackup): string {
  return backup.volumeSnapshotName === undefined
    ? (backup.steadyvm?.copyClaimName ?? '')
    : restoredClaimNameOf(vmExport, publicName(backup))
}

/** Name of the claim of the VM, by which clients ask for its disk. */
function publicName({ persistentVolumeClaim }: VolumeBackup): string {
  return persistentVolumeClaim.metadata?.name ?? ''
}

/** Decides what a snapshot as the source means. KubeVirt's reasons and texts. Pure. */
export function snapshotSource(observed: ObservedSnapshot): SourceState {
  const { vmExport, snapshot, volumes, hardware } = observed
  const { namespace } = vmExport.metadata
  const { name } = vmExport.spec.source
  const what = `VirtualMachineSnapshot ${namespace}/${name}`
  const vmName = snapshot?.spec.source.name
  const base = { volumes: [], isAvailable: false, ...(vmName === undefined ? {} : { vmName }) }
  const empty = condition('False', 'VMSnapshotNoVolumes', `${what} does not contain any volume snapshots`)
  if (snapshot === undefined) return { ...base, ready: notReady('VMSnapshotNotFound', `${what} not found`), own: empty, isSkipped: true }
  if (snapshot.status?.readyToUse !== true || isBeingDeleted(snapshot)) {
    const message = `${what} ${isBeingDeleted(snapshot) ? 'is being deleted' : 'is not ready to use'}`
    return { ...base, ready: notReady('NotAllPVCsCreated', message), own: condition('False', 'NotAllPVCsCreated', message) }
  }
  if (volumes.length === 0) return { ...base, ready: initializing, own: empty, isSkipped: true }
  const problem = volumes.map((volume) => problemOf(vmExport, volume)).find((one) => one !== undefined)
  if (problem !== undefined)
    return {
      ...base,
      ready: notReady('NotAllPVCsCreated', problem),
      own: condition('False', 'NotAllPVCsCreated', problem),
      isPolled: true,
    }
  const missing = volumes.flatMap((volume) => (volume.claim === undefined ? [restoredClaim(vmExport, volume)] : []))
  if (missing.length > 0)
    return {
      ...base,
      missing,
      ready: initializing,
      own: condition('False', 'NotAllPVCsCreated', 'Not all PVCs have been successfully restored'),
    }
  const used = volumes.find(({ isInUse }) => isInUse)?.claimName
  const ready =
    used !== undefined
      ? notReady('InUse', `PersistentVolumeClaim ${namespace}/${used} is in use`)
      : hardware !== undefined && hardware.vm === undefined
        ? notReady('Unknown', hardware.problem)
        : initializing
  return {
    ...base,
    volumes: volumes.flatMap(exported),
    ...(hardware?.vm === undefined ? {} : { vm: hardware.vm }),
    isAvailable: ready === initializing,
    ready,
    own: volumes.every(({ claim }) => claim?.status?.phase === 'Bound')
      ? condition('True', 'AllPVCsReady')
      : condition('False', 'NotAllPVCsReady', 'Not all PVCs are ready'),
    isPolled: ready !== initializing,
  }
}

/** Returns why the claim of a volume is not, and cannot be made, one with its content. */
function problemOf(vmExport: VirtualMachineExport, { backup, claimName, claim, volumeSnapshot }: SnapshotVolume): string | undefined {
  const { namespace } = vmExport.metadata
  const what = `PersistentVolumeClaim ${namespace}/${claimName}`
  if (backup.volumeSnapshotName === undefined) {
    if (claim === undefined) return `${what} with the copy of volume ${backup.volumeName} not found`
    return isBeingDeleted(claim) ? `${what} with the copy of volume ${backup.volumeName} is being deleted` : undefined
  }
  if (claim === undefined)
    return volumeSnapshot === undefined ? `VolumeSnapshot ${namespace}/${backup.volumeSnapshotName} not found` : undefined
  if (isBeingDeleted(claim)) return `${what} is being deleted`
  return controllerOf(claim)?.uid === vmExport.metadata.uid
    ? undefined
    : `${what} exists and is not of this export: delete it, or give the export another name`
}

/** Builds the claim that a VolumeSnapshot fills. It goes with the export. */
function restoredClaim(vmExport: VirtualMachineExport, { backup, claimName, volumeSnapshot }: SnapshotVolume): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName,
      namespace: vmExport.metadata.namespace ?? '',
      ownerReferences: [controllerReference(virtualMachineExports, vmExport)],
    },
    spec: filledClaimSpec(backup, leastSizeOf(backup, volumeSnapshot)),
  }
}

function exported({ backup, claim }: SnapshotVolume): SourceVolume[] {
  const { metadata, spec } = backup.persistentVolumeClaim
  // What CDI filled the claim of the VM with, its copy is full of, too.
  return claim === undefined
    ? []
    : [
        {
          name: publicName(backup),
          claim,
          isDisk: holdsDisk({ metadata: metadata ?? {}, ...(spec === undefined ? {} : { spec }) }, undefined, true),
        },
      ]
}

function condition(status: 'True' | 'False', reason: string, message = ''): SourceCondition {
  return { type: 'VolumesCreated', status, reason, message }
}
