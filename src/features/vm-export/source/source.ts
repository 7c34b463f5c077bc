import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** A condition of an export, without its time. */
export interface SourceCondition {
  readonly type: 'Ready' | 'PVCReady' | 'VolumesCreated' | 'ExternalLinks'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** A claim to export. */
export interface SourceVolume {
  /** By which clients ask for it: that of the claim that a VM names. */
  readonly name: string
  readonly claim: PersistentVolumeClaim
  /** Holds a disk. Otherwise any files. */
  readonly isDisk: boolean
}

/** What an export exports, as far as it is there. */
export interface SourceState {
  readonly volumes: readonly SourceVolume[]
  /** Claims that are made for the export, and are not there yet. */
  readonly missing?: readonly PersistentVolumeClaim[]
  /** All volumes are filled and no one writes to them. */
  readonly isAvailable: boolean
  /** Why the export is not ready while there is no pod. */
  readonly ready: SourceCondition
  /** Condition of the kind of the source. Undefined: it has none. */
  readonly own?: SourceCondition
  /** Name of the VM of the source. */
  readonly vmName?: string
  /** The VM, expanded, from which manifests are made. */
  readonly vm?: VirtualMachine
  /** There is nothing to export, and no use in waiting. */
  readonly isSkipped?: boolean
  /** Something is waited for that no event tells of. */
  readonly isPolled?: boolean
}

/** Returns the condition Ready of an export without a pod. KubeVirt's reasons. */
export function notReady(reason: string, message: string = ''): SourceCondition {
  return { type: 'Ready', status: 'False', reason, message }
}

/** The source is being prepared. */
export const initializing: SourceCondition = notReady('Initializing')
