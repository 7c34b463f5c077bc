import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isGateOpen } from '#features/cluster-config/index.ts'
import { invalidValue } from './cause.ts'

/** A field that only an open feature gate allows, with KubeVirt's message. */
interface GatedField {
  readonly gate: string
  /** Paths at which a spec has the field, below the spec. */
  readonly find: (spec: VirtualMachineInstanceSpec) => readonly string[]
  readonly message: string
}

const at = (path: string, isPresent: boolean): readonly string[] => (isPresent ? [path] : [])

/** A path of the node: it gives read and write access there. */
const nodeAccess: GatedField = {
  gate: 'HostDisk',
  find: ({ volumes = [] }) => volumes.flatMap(({ hostDisk }, index) => at(`volumes[${index}]`, hostDisk !== undefined)),
  message: 'HostDisk feature gate is not enabled',
}

const gatedFields: readonly GatedField[] = [
  nodeAccess,
  {
    gate: 'DownwardMetrics',
    find: ({ domain }) => at('domain.devices.downwardMetrics', domain.devices.downwardMetrics !== undefined),
    message: 'downwardMetrics virtio serial is not allowed: DownwardMetrics feature gate is not enabled',
  },
  {
    gate: 'DownwardMetrics',
    find: ({ volumes = [] }) => volumes.flatMap(({ downwardMetrics }, index) => at(`volumes[${index}]`, downwardMetrics !== undefined)),
    message: 'downwardMetrics disks are not allowed: DownwardMetrics feature gate is not enabled.',
  },
  {
    gate: 'VSOCK',
    find: ({ domain }) => at('domain.devices.autoattachVSOCK', domain.devices.autoattachVSOCK === true),
    message: 'VSOCK feature gate is not enabled in kubevirt-config',
  },
  {
    gate: 'ReservedOverheadMemlock',
    find: ({ domain }) => at('domain.memory.reservedOverhead', domain.memory?.reservedOverhead !== undefined),
    message: 'Reserved overhead memlock feature gate is not enabled in kubevirt-config',
  },
  {
    gate: 'HostDevices',
    find: ({ domain }) => at('domain.devices.hostDevices', (domain.devices.hostDevices ?? []).length > 0),
    message: 'Host Devices feature gate is not enabled in kubevirt-config',
  },
  {
    gate: 'RebootPolicy',
    find: ({ domain }) => at('domain.rebootPolicy', domain.rebootPolicy !== undefined),
    message: 'RebootPolicy is specified but the RebootPolicy feature gate is not enabled',
  },
  {
    gate: 'PersistentReservation',
    find: ({ domain }) => at('domain.devices.disks', domain.devices.disks?.some(({ lun }) => lun?.reservation === true) === true),
    message: 'persistent reservation is not enabled in kubevirt config',
  },
]

/** Refuses fields whose feature gate is closed, as KubeVirt does. `base`: path of the spec. */
export function validateClosedGates(spec: VirtualMachineInstanceSpec, base: string, featureGates: readonly string[]): StatusCause[] {
  return validateFields(gatedFields, spec, base, featureGates)
}

/** Refuses access to the node, unless the cluster's administrator has enabled it. */
export function validateNodeAccess(spec: VirtualMachineInstanceSpec, base: string, featureGates: readonly string[]): StatusCause[] {
  return validateFields([nodeAccess], spec, base, featureGates)
}

function validateFields(
  fields: readonly GatedField[],
  spec: VirtualMachineInstanceSpec,
  base: string,
  featureGates: readonly string[],
): StatusCause[] {
  return fields.flatMap(({ gate, find, message }) =>
    isGateOpen(gate, featureGates) ? [] : find(spec).map((path) => invalidValue(`${base}.${path}`, message)),
  )
}
