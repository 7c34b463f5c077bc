import type {
  VirtualMachineInstance,
  VirtualMachineInstanceCondition,
  VirtualMachineInstanceSpec,
} from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { claimNameOf, isSharedClaim, wantsPersistentState } from '#features/vmi/index.ts'

/** Migratability of a guest, and the migration method. */
export interface Migratability {
  readonly condition: VirtualMachineInstanceCondition
  /** Condition for the migration of its volumes to other storage. */
  readonly storageCondition: VirtualMachineInstanceCondition
  readonly method: 'LiveMigration' | 'BlockMigration' | undefined
}

interface Obstacle {
  readonly reason: string
  readonly message: string
}

/** Annotation that allows migration of a bridged guest, which then loses its address. */
const bridgeAnnotation = 'kubevirt.io/allow-pod-bridge-network-live-migration'

/**
 * Returns the obstacles to a migration in KubeVirt's order: the first one for LiveMigratable, all
 * for StorageLiveMigratable.
 */
export function migratability(vmi: VirtualMachineInstance): Migratability {
  const obstacles = [networkObstacle(vmi), ...deviceObstacles(vmi.spec), stateObstacle(vmi.spec), ...diskObstacles(vmi)].filter(
    (obstacle) => obstacle !== undefined,
  )
  const isLocal = (vmi.spec.volumes ?? []).some((volume) => volume.containerDisk !== undefined || volume.emptyDisk !== undefined)
  const ofStorage = obstacles.filter(({ reason }) => reason !== disks)
  const messages = ofStorage.map(({ message }) => message).join('; ')
  return {
    condition: conditionOf('LiveMigratable', obstacles[0]),
    storageCondition: conditionOf('StorageLiveMigratable', messages === '' ? undefined : { reason: 'NotMigratable', message: messages }),
    method: obstacles.length > 0 ? undefined : isLocal ? 'BlockMigration' : 'LiveMigration',
  }
}

function conditionOf(type: VirtualMachineInstanceCondition['type'], obstacle: Obstacle | undefined): VirtualMachineInstanceCondition {
  return obstacle === undefined
    ? { type, status: 'True', lastProbeTime: null }
    : { type, status: 'False', ...obstacle, lastProbeTime: null }
}

function networkObstacle({ spec, metadata }: VirtualMachineInstance): Obstacle | undefined {
  const bridged = spec.domain.devices.interfaces?.find(
    ({ name, bridge }) => bridge !== undefined && spec.networks?.some((network) => network.name === name && network.pod !== undefined),
  )
  if (bridged === undefined || metadata.annotations?.[bridgeAnnotation] !== undefined) return undefined
  return {
    reason: 'InterfaceNotLiveMigratable',
    message: `cannot migrate VMI which does not use masquerade, bridge with ${bridgeAnnotation} VM annotation or a migratable plugin to connect to the pod network`,
  }
}

function deviceObstacles({ architecture, domain }: VirtualMachineInstanceSpec): (Obstacle | undefined)[] {
  const { hostDevices = [], gpus = [] } = domain.devices
  const { launchSecurity: security, features, cpu } = domain
  const isSecureExecution = security !== undefined && architecture === 's390x'
  // An invariant TSC survives a migration only with a known frequency.
  const needsClock = cpu?.features?.some(
    ({ name, policy = 'require' }) => name === 'invtsc' && (policy === 'require' || policy === 'force'),
  )
  return [
    when(hostDevices.length + gpus.length > 0, 'HostDeviceNotLiveMigratable', 'VMI uses a PCI host devices'),
    when(security?.sev !== undefined || security?.snp !== undefined, 'SEVNotLiveMigratable', 'VMI uses SEV'),
    when(security?.tdx !== undefined, 'TDXNotLiveMigratable', 'VMI uses TDX'),
    when(isSecureExecution, 'SecureExecutionNotLiveMigratable', 'VMI uses Secure Execution'),
    when(needsClock === true, 'NoTSCFrequencyNotLiveMigratable', 'VMI needs a TSC of one frequency, and that of this node is not known'),
    when(features?.hypervPassthrough?.enabled === true, 'HypervPassthroughNotLiveMigratable', 'VMI uses hyperv passthrough'),
  ]
}

/** A non-persistent TPM keeps its state in another process and in files of this node. */
function stateObstacle(spec: VirtualMachineInstanceSpec): Obstacle | undefined {
  const { tpm } = spec.domain.devices
  if (tpm !== undefined && tpm.enabled !== false)
    return { reason: 'TPMNotLiveMigratable', message: 'VMI uses a TPM, which stays on its node' }
  return when(wantsPersistentState(spec), disks, 'VMI keeps its state in a claim of its node')
}

function diskObstacles(vmi: VirtualMachineInstance): (Obstacle | undefined)[] {
  const { domain, volumes = [] } = vmi.spec
  const stuck = volumes.flatMap((volume) => volumeObstacle(volume, vmi) ?? [])
  const { filesystems = [], disks: devices = [] } = domain.devices
  return [
    when(stuck.length > 0, disks, stuck[0] ?? ''),
    when(filesystems.length > 0, 'VirtIOFSNotLiveMigratable', 'VMI uses virtiofs'),
    when(
      devices.some(({ lun }) => lun?.reservation === true),
      'PersistentReservationNotLiveMigratable',
      'VMI uses SCSI persistent reservation',
    ),
  ]
}

/** Returns why a volume ties its guest to the node, in KubeVirt's words. */
function volumeObstacle(volume: Volume, { status }: VirtualMachineInstance): string | undefined {
  if (volume.hostDisk !== undefined) return volume.hostDisk.shared === true ? undefined : 'cannot migrate VMI with non-shared HostDisk'
  const claim = claimNameOf(volume)
  // A dump holds up a migration, which it does not make impossible.
  if (claim === undefined || volume.memoryDump !== undefined) return undefined
  const info = status?.volumeStatus?.find(({ name }) => name === volume.name)?.persistentVolumeClaimInfo
  if (info === undefined) return `cannot migrate VMI: Unable to determine if PVC ${claim} is shared, ${allShared}`
  return isSharedClaim(info) ? undefined : `cannot migrate VMI: PVC ${claim} is not shared, ${allShared}`
}

const allShared = 'live migration requires that all PVCs must be shared (using ReadWriteMany access mode)'

const disks = 'DisksNotLiveMigratable'

function when(isSo: boolean, reason: string, message: string): Obstacle | undefined {
  return isSo ? { reason, message } : undefined
}
