import type {
  VirtualMachineInstance,
  VirtualMachineInstanceCondition,
  VirtualMachineInstanceSpec,
} from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { wantsPersistentState } from '#features/vmi/index.ts'

/** Whether a guest can move while it runs, and how. */
export interface Migratability {
  readonly condition: VirtualMachineInstanceCondition
  readonly method: 'LiveMigration' | 'BlockMigration' | undefined
}

interface Obstacle {
  readonly reason: string
  readonly message: string
}

/** Annotation by which a user accepts that a bridged guest loses its address. */
const bridgeAnnotation = 'kubevirt.io/allow-pod-bridge-network-live-migration'

/** What stands against moving a guest, in the order in which KubeVirt looks; the first one is told. */
export function migratability(vmi: VirtualMachineInstance): Migratability {
  const obstacle = networkObstacle(vmi) ?? deviceObstacle(vmi.spec) ?? stateObstacle(vmi.spec) ?? diskObstacle(vmi.spec)
  if (obstacle !== undefined) {
    return { condition: { type: 'LiveMigratable', status: 'False', ...obstacle, lastProbeTime: null }, method: undefined }
  }
  const isLocal = (vmi.spec.volumes ?? []).some((volume) => volume.containerDisk !== undefined || volume.emptyDisk !== undefined)
  return {
    condition: { type: 'LiveMigratable', status: 'True', lastProbeTime: null },
    method: isLocal ? 'BlockMigration' : 'LiveMigration',
  }
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

function deviceObstacle({ domain }: VirtualMachineInstanceSpec): Obstacle | undefined {
  const { hostDevices = [], gpus = [] } = domain.devices
  if (hostDevices.length + gpus.length > 0) return { reason: 'HostDeviceNotLiveMigratable', message: 'VMI uses a PCI host devices' }
  if (domain.launchSecurity?.sev !== undefined) return { reason: 'SEVNotLiveMigratable', message: 'VMI uses SEV' }
  if (domain.features?.hypervPassthrough?.enabled === true) {
    return { reason: 'HypervPassthroughNotLiveMigratable', message: 'VMI uses hyperv passthrough' }
  }
  return undefined
}

/** What a TPM remembers is in the memory of another process, and in files of this node. */
function stateObstacle(spec: VirtualMachineInstanceSpec): Obstacle | undefined {
  const { tpm } = spec.domain.devices
  if (tpm !== undefined && tpm.enabled !== false)
    return { reason: 'TPMNotLiveMigratable', message: 'VMI uses a TPM, which stays on its node' }
  if (!wantsPersistentState(spec)) return undefined
  return { reason: 'DisksNotLiveMigratable', message: 'VMI keeps its state in a claim of its node' }
}

function diskObstacle({ volumes = [] }: VirtualMachineInstanceSpec): Obstacle | undefined {
  const stuck = volumes.find(
    (volume) => volume.persistentVolumeClaim !== undefined || volume.dataVolume !== undefined || volume.hostDisk !== undefined,
  )
  if (stuck === undefined) return undefined
  return { reason: 'DisksNotLiveMigratable', message: `cannot migrate VMI: volume ${stuck.name} is not shared between nodes` }
}
