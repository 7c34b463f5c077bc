import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolumeClaimInfo, VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** What there is of a guest's claims, by name, in its namespace. */
export interface StorageObjects {
  claim(name: string): PersistentVolumeClaim | undefined
  /**
   * Undefined for one that is not there: it has done its work and gone, or its claim never had one.
   */
  dataVolume(name: string): DataVolume | undefined
}

/** What a VMI's claims mean for its start. */
export interface StorageStatus {
  /** Of volumes that are claims, in the order of the spec. */
  readonly volumes: readonly VolumeStatus[]
  /** Why there can be no pod yet. */
  readonly obstacle?: { readonly reason: string; readonly message: string }
  /**
   * Whether all content is where it belongs: a guest must not see a disk that is being written by
   * somebody else.
   */
  readonly isFilled: boolean
  /** Whether DataVolumes have a part in it. */
  readonly hasDataVolumes: boolean
}

/** Of a VMI without claims. */
export const noStorage: StorageStatus = { volumes: [], isFilled: true, hasDataVolumes: false }

/** A claim that is not there. KubeVirt's word. */
export const claimNotFound = 'FailedPvcNotFound'
/** A claim that has no volume yet. KubeVirt's word. */
const claimNotReady = 'PVCNotReady'

/**
 * What KubeVirt takes the file system of a claim to need itself, where nobody has measured it: a
 * share of its size.
 */
const filesystemOverhead = '0.055'

/**
 * States in which a DataVolume waits for a pod that uses its claim: the launcher, which waits
 * itself until the content is there.
 */
const waitsForPod: readonly string[] = ['WaitForFirstConsumer', 'PendingPopulation']

/** Name of the claim behind a volume. Undefined for volumes of other kinds. */
export function claimNameOf({ persistentVolumeClaim, dataVolume }: Volume): string | undefined {
  return persistentVolumeClaim?.claimName ?? dataVolume?.name
}

/** Names of a VMI's claims. */
export function claimNames({ spec }: Pick<VirtualMachineInstance, 'spec'>): string[] {
  return (spec.volumes ?? []).flatMap((volume) => claimNameOf(volume) ?? [])
}

/** Name of the DataVolume that fills a claim, or may do so. */
export function dataVolumeNameOf(volume: Volume, claim: PersistentVolumeClaim | undefined): string | undefined {
  const owner = claim?.metadata.ownerReferences?.find(({ kind, apiVersion }) => kind === 'DataVolume' && apiVersion.startsWith('cdi.'))
  return volume.dataVolume?.name ?? owner?.name
}

/** Looks at the claims of a VMI, which is about to start. Pure. */
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

interface Look {
  readonly status: VolumeStatus
  /**
   * Whether a pod can be made. It waits by itself for a claim that gets its volume together with a
   * node.
   */
  readonly mayStart: boolean
  readonly isFilled: boolean
  readonly hasDataVolume: boolean
}

function lookAt(volume: Volume, found: StorageObjects, namespace: string): Look | undefined {
  const claimName = claimNameOf(volume)
  if (claimName === undefined) return undefined
  const claim = found.claim(claimName)
  const dataVolume = found.dataVolume(dataVolumeNameOf(volume, claim) ?? '')
  const { phase = 'Pending' } = dataVolume?.status ?? {}
  const isFilled = dataVolume === undefined || phase === 'Succeeded'
  const base = { name: volume.name, target: '' }
  const look = (status: VolumeStatus, mayStart: boolean): Look => ({
    status,
    mayStart,
    isFilled: isFilled && claim !== undefined,
    hasDataVolume: dataVolume !== undefined,
  })
  const pending = { ...base, phase: 'Pending' }
  if (!isFilled) {
    const message = `DataVolume ${namespace}/${dataVolume.metadata.name ?? ''} is ${phase}`
    const mayStart = claim !== undefined && waitsForPod.includes(phase)
    return look({ ...pending, reason: phase, message, ...infoOf(claimName, claim) }, mayStart)
  }
  if (claim === undefined) {
    const message = `PVC ${namespace}/${claimName} does not exist, waiting for it to appear`
    return look({ ...pending, reason: claimNotFound, message }, false)
  }
  if (claim.status?.phase === 'Bound') return look({ ...base, ...infoOf(claimName, claim) }, true)
  const message = `PVC ${namespace}/${claimName} is ${claim.status?.phase ?? 'Pending'}`
  return look({ ...pending, reason: claimNotReady, message, ...infoOf(claimName, claim) }, true)
}

function infoOf(claimName: string, claim: PersistentVolumeClaim | undefined): Pick<VolumeStatus, 'persistentVolumeClaimInfo'> {
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
    ...(spec?.volumeMode === 'Block' ? {} : { filesystemOverhead }),
  }
  return { persistentVolumeClaimInfo: info }
}

/** Whether several nodes may use a claim at once, so that a guest can move without it. */
export function isSharedClaim({ accessModes = [] }: PersistentVolumeClaimInfo): boolean {
  return accessModes.includes('ReadWriteMany')
}

/** What a VMI waits for, of what its status says of its volumes. */
export type StorageWait = 'failed' | 'filling' | 'unbound'

/**
 * What the start of a VMI waits for; undefined when that is none of its claims, or a claim that is
 * not there.
 */
export function storageWait({ status }: VirtualMachineInstance): StorageWait | undefined {
  const reasons = (status?.volumeStatus ?? []).flatMap(({ phase, reason = '' }) => (phase === 'Pending' ? [reason] : []))
  if (reasons.includes('Failed')) return 'failed'
  const isUnbound = (reason: string): boolean => [claimNotReady, 'Pending', ...waitsForPod].includes(reason)
  if (reasons.some((reason) => reason !== claimNotFound && !isUnbound(reason))) return 'filling'
  return reasons.some(isUnbound) ? 'unbound' : undefined
}
