import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolumeClaimInfo, VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Lookup of a guest's claims by name, in its namespace. */
export interface StorageObjects {
  claim(name: string): PersistentVolumeClaim | undefined
  /**
   * Undefined for one that does not exist: deleted after its import, or the claim never had one.
   */
  dataVolume(name: string): DataVolume | undefined
  /** Share of a volume of a storage class that its file system needs. */
  overhead(storageClass: string | undefined): number
}

/** Effect of a VMI's claims on its start. */
export interface StorageStatus {
  /** Status of volumes that are claims, in the order of the spec. */
  readonly volumes: readonly VolumeStatus[]
  /** Reason why no pod can be created yet. */
  readonly obstacle?: { readonly reason: string; readonly message: string }
  /** All imports are complete: a guest must not use a disk that is still being written. */
  readonly isFilled: boolean
  /** Some claims have a DataVolume. */
  readonly hasDataVolumes: boolean
  /** Hotplugged volumes are attached to the node of the launcher. Default: there are none. */
  readonly isAttached?: boolean
}

/** Status of the claim behind a volume, and what can be done with it. */
export interface ClaimLook {
  readonly status: VolumeStatus
  /** A pod can be created; it waits in the scheduler for claims with WaitForFirstConsumer. */
  readonly mayStart: boolean
  readonly isFilled: boolean
  readonly hasDataVolume: boolean
}

/** Storage of a VMI without claims. */
export const noStorage: StorageStatus = { volumes: [], isFilled: true, hasDataVolumes: false }

/** KubeVirt's reason for a missing claim. */
export const claimNotFound = 'FailedPvcNotFound'
/** KubeVirt's reason for an unbound claim. */
const claimNotReady = 'PVCNotReady'

/** KubeVirt's default share of a claim's size that its file system needs, without CDIConfig. */
export const defaultOverhead = 0.055

/**
 * Phases in which a DataVolume waits for a consumer of its claim. The launcher is one, and waits
 * for the content itself.
 */
const waitsForPod: readonly string[] = ['WaitForFirstConsumer', 'PendingPopulation']

/** Returns the name of the claim behind a volume; undefined for other kinds of volumes. */
export function claimNameOf({ persistentVolumeClaim, dataVolume, memoryDump }: Volume): string | undefined {
  return (persistentVolumeClaim ?? memoryDump)?.claimName ?? dataVolume?.name
}

/** Returns the names of a VMI's claims. */
export function claimNames({ spec }: Pick<VirtualMachineInstance, 'spec'>): string[] {
  return (spec.volumes ?? []).flatMap((volume) => claimNameOf(volume) ?? [])
}

/** Returns the name of the DataVolume that may fill a claim. */
export function dataVolumeNameOf(volume: Volume, claim: PersistentVolumeClaim | undefined): string | undefined {
  const owner = claim?.metadata.ownerReferences?.find(({ kind, apiVersion }) => kind === 'DataVolume' && apiVersion.startsWith('cdi.'))
  return volume.dataVolume?.name ?? owner?.name
}

/** Computes the storage state of a VMI that is about to start. Pure. */
export function storageStatus({ spec, metadata }: VirtualMachineInstance, found: StorageObjects): StorageStatus {
  const looks = (spec.volumes ?? []).flatMap((volume) => lookAt(volume, found, metadata.namespace ?? '') ?? [])
  const missing = looks.find(({ mayStart }) => !mayStart)
  return {
    volumes: looks.map(({ status }) => status),
    ...(missing === undefined ? {} : { obstacle: { reason: missing.status.reason ?? '', message: missing.status.message ?? '' } }),
    isFilled: looks.every(({ isFilled }) => isFilled),
    hasDataVolumes: looks.some(({ hasDataVolume }) => hasDataVolume),
  }
}

/** Looks at the claim behind a volume; undefined for other kinds of volumes. Pure. */
export function lookAt(volume: Volume, found: StorageObjects, namespace: string): ClaimLook | undefined {
  const claimName = claimNameOf(volume)
  if (claimName === undefined) return undefined
  const claim = found.claim(claimName)
  const dataVolume = found.dataVolume(dataVolumeNameOf(volume, claim) ?? '')
  const { phase = 'Pending' } = dataVolume?.status ?? {}
  const isFilled = dataVolume === undefined || phase === 'Succeeded'
  const base = { name: volume.name, target: '' }
  const look = (status: VolumeStatus, mayStart: boolean): ClaimLook => ({
    status,
    mayStart,
    isFilled: isFilled && claim !== undefined,
    hasDataVolume: dataVolume !== undefined,
  })
  const pending = { ...base, phase: 'Pending' }
  if (!isFilled) {
    const message = `DataVolume ${namespace}/${dataVolume.metadata.name ?? ''} is ${phase}`
    const mayStart = claim !== undefined && waitsForPod.includes(phase)
    return look({ ...pending, reason: phase, message, ...infoOf(claimName, claim, found) }, mayStart)
  }
  if (claim === undefined) {
    const message = `PVC ${namespace}/${claimName} does not exist, waiting for it to appear`
    return look({ ...pending, reason: claimNotFound, message }, false)
  }
  if (claim.status?.phase === 'Bound') return look({ ...base, ...infoOf(claimName, claim, found) }, true)
  const message = `PVC ${namespace}/${claimName} is ${claim.status?.phase ?? 'Pending'}`
  return look({ ...pending, reason: claimNotReady, message, ...infoOf(claimName, claim, found) }, true)
}

/** Returns the properties of a claim that the node needs. */
export function infoOf(
  claimName: string,
  claim: PersistentVolumeClaim | undefined,
  { overhead }: Pick<StorageObjects, 'overhead'>,
): Pick<VolumeStatus, 'persistentVolumeClaimInfo'> {
  if (claim === undefined) return {}
  const { spec, status } = claim
  const { accessModes } = spec ?? {}
  const { capacity } = status ?? {}
  const requests = spec?.resources?.requests
  const info: PersistentVolumeClaimInfo = {
    claimName,
    ...(accessModes === undefined ? {} : { accessModes: [...accessModes] }),
    volumeMode: spec?.volumeMode ?? 'Filesystem',
    ...(capacity === undefined ? {} : { capacity: { ...capacity } }),
    ...(requests === undefined ? {} : { requests: { ...requests } }),
    ...(spec?.volumeMode === 'Block' ? {} : { filesystemOverhead: String(overhead(spec?.storageClassName)) }),
  }
  return { persistentVolumeClaimInfo: info }
}

/** Reports whether several nodes may use the claim at once, which live migration needs. */
export function isSharedClaim({ accessModes = [] }: PersistentVolumeClaimInfo): boolean {
  return accessModes.includes('ReadWriteMany')
}

/** Wait state of a VMI, derived from its volume status. */
export type StorageWait = 'failed' | 'filling' | 'unbound'

/**
 * Returns what the start of a VMI waits for; undefined when no claim delays it, or when one is
 * missing.
 */
export function storageWait({ status }: VirtualMachineInstance): StorageWait | undefined {
  const reasons = (status?.volumeStatus ?? []).flatMap(({ phase, reason = '' }) => (phase === 'Pending' ? [reason] : []))
  if (reasons.includes('Failed')) return 'failed'
  const isUnbound = (reason: string): boolean => [claimNotReady, 'Pending', ...waitsForPod].includes(reason)
  if (reasons.some((reason) => reason !== claimNotFound && !isUnbound(reason))) return 'filling'
  return reasons.some(isUnbound) ? 'unbound' : undefined
}
