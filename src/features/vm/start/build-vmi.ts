import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { ownerReferenceTo, type Expansion } from '#features/instancetype/index.ts'
import { withoutAbsentInterfaces } from '../live-update/interfaces.ts'
import { vmGenerationAnnotation, vmiFinalizer } from '../names.ts'

/** Facts of a start beside the expanded spec. */
export interface VmiOrigin {
  readonly startRevision: string
  readonly paused: boolean
  /** RFC 3339. */
  readonly now: string
}

/**
 * Builds the VMI of a VM: same name, controlled by it, defaulted, and in phase Pending, which saves
 * an update.
 */
export function buildVmi(vm: VirtualMachine, { vmi }: Expansion, origin: VmiOrigin): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: vm.metadata.name ?? '',
      namespace: vm.metadata.namespace ?? '',
      labels: vmi.metadata.labels,
      annotations: { ...vmi.metadata.annotations, [vmGenerationAnnotation]: String(vm.metadata.generation ?? 0) },
      ownerReferences: [ownerReferenceTo(vm)],
      finalizers: [vmiFinalizer],
    },
    spec: { ...withoutDumps(withoutAbsentInterfaces(vmi.spec)), ...(origin.paused ? { startStrategy: 'Paused' } : {}) },
    status: {
      phase: 'Pending',
      phaseTransitionTimestamps: [{ phase: 'Pending', phaseTransitionTimestamp: origin.now }],
      virtualMachineRevisionName: origin.startRevision,
    },
  }
}

/**
 * Leaves out the volumes of dumps that KubeVirt notes in VMs: a VM that comes from there would dump
 * its memory at each start. Requests are in the status.
 */
function withoutDumps(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { volumes } = spec
  if (volumes?.some(({ memoryDump }) => memoryDump !== undefined) !== true) return spec
  return { ...spec, volumes: volumes.filter(({ memoryDump }) => memoryDump === undefined) }
}
