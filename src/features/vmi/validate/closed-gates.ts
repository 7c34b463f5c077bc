import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue } from './cause.ts'

/** A field that only an open feature gate allows, with KubeVirt's message. */
interface GatedField {
  readonly gate: string
  /** Paths at which a spec has the field, below the spec. */
  readonly find: (spec: VirtualMachineInstanceSpec) => readonly string[]
  readonly message: string
}

const at = (path: string, isPresent: boolean): readonly string[] => (isPresent ? [path] : [])

const gatedFields: readonly GatedField[] = [
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
]

/** Refuses fields whose feature gate is closed, as KubeVirt does. `base`: path of the spec. */
export function validateClosedGates(spec: VirtualMachineInstanceSpec, base: string, featureGates: readonly string[]): StatusCause[] {
  return gatedFields.flatMap(({ gate, find, message }) =>
    featureGates.includes(gate) ? [] : find(spec).map((path) => invalidValue(`${base}.${path}`, message)),
  )
}
