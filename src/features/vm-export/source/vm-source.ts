import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { initializing, notReady, type SourceCondition, type SourceState, type SourceVolume } from './source.ts'

/** What is known of a VM that is exported. */
export interface ObservedMachine {
  readonly namespace: string
  readonly name: string
  /** Expanded. Undefined: there is none. */
  readonly vm: VirtualMachine | undefined
  /** Its hardware cannot be found. */
  readonly problem?: string
  /** Claims that exist. */
  readonly volumes: readonly (SourceVolume & { readonly isFilled: boolean; readonly isInUse: boolean })[]
  /** A DataVolume of the VM has no claim yet. */
  readonly isIncomplete: boolean
  /** There is a VMI that has not ended. */
  readonly isRunning: boolean
}

/** Decides what a VM as the source means. KubeVirt's reasons and texts. Pure. */
export function machineSource(observed: ObservedMachine): SourceState {
  const { name, vm, volumes, isIncomplete } = observed
  const isPopulated = volumes.every(({ isFilled }) => isFilled) && !isIncomplete
  const ready = readinessOf(observed, isPopulated)
  return {
    volumes,
    vmName: name,
    ...(vm === undefined ? {} : { vm }),
    isAvailable: volumes.length > 0 && ready === initializing,
    ready,
    isSkipped: volumes.length === 0 && !isIncomplete,
    // The VMI of the VM is watched.
    isPolled: ready.reason === 'VolumesNotPopulated' || (ready.reason === 'InUse' && !observed.isRunning),
  }
}

function readinessOf(observed: ObservedMachine, isPopulated: boolean): SourceCondition {
  const { namespace, name, vm, problem, volumes, isRunning, isIncomplete } = observed
  const machine = `Virtual Machine ${namespace}/${name}`
  if (vm === undefined && problem === undefined) return notReady('VMNotFound', `${machine} not found`)
  if (volumes.length === 0 && !isIncomplete) return notReady('VMNoVolumes', `${machine} has no volumes`)
  if (!isPopulated) return notReady('VolumesNotPopulated', `Not all volumes in the ${machine} are populated`)
  if (isRunning) return notReady('InUse', `${machine} is running`)
  const used = volumes.find(({ isInUse }) => isInUse)?.claim.metadata.name
  if (used !== undefined) return notReady('InUse', `PersistentVolumeClaim ${namespace}/${used} is in use`)
  // Without its hardware the manifest would be that of another machine.
  return problem === undefined ? initializing : notReady('Unknown', problem)
}
