import type { HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { InstancetypeMatcher } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Source } from '#features/instancetype/index.ts'

/**
 * Effect of a change on one VM. `unchanged`: none. `live`: takes effect without stopping a guest;
 * for a halted VM, at its next start. `restart`: the guest keeps running unchanged until it is
 * restarted.
 * `conflict`: VM and instance type contradict each other, so that the VM cannot start. `blocked`:
 * an object is missing or refused.
 */
export type Effect = 'unchanged' | 'live' | 'restart' | 'conflict' | 'blocked'

/** All effects, the one that needs a human first. */
export const effects: readonly Effect[] = ['blocked', 'conflict', 'restart', 'live', 'unchanged']

/** Reference to a state of an object. */
export interface ObjectReference {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly generation?: number
  /**
   * The ControllerRevision that holds the object as it was at that generation; absent for the live
   * object.
   */
  readonly revision?: string
}

/** One value of the VMI that becomes another one. */
export interface FieldChange {
  /**
   * Path in the VMI: `spec.domain.cpu.sockets`. Fields that only the VM has start with
   * `virtualMachine.`.
   */
  readonly path: string
  /** Absent when there was no value. */
  readonly old?: unknown
  /** Absent when there is no value any more. */
  readonly new?: unknown
  readonly effect: 'live' | 'restart'
  /** Source of the new value, or of the old one when the value is removed. */
  readonly source: Source
  /** Object that contains the value; absent for computed values. */
  readonly object?: ObjectReference
}

/** Planned effect on one VM. */
export interface PlannedVm {
  readonly namespace: string
  readonly name: string
  readonly effect: Effect
  /** True if it has a guest now. */
  readonly running: boolean
  /** Reason why nothing changes, or why it cannot change. */
  readonly reason?: string
  readonly fields: readonly FieldChange[]
  /**
   * Guest-visible changes at the next start, by QEMU setting, including implied ones such as a card
   * in another slot.
   */
  readonly hardware?: readonly HardwareFactChange[]
  /** Remarks for the owner. */
  readonly notes: readonly string[]
}

/** A change that the API server would refuse. The plan continues without it. */
export interface Refusal {
  readonly object: ObjectReference
  readonly messages: readonly string[]
}

/** A requested change. */
export interface ChangeSummary {
  readonly object: ObjectReference
  readonly action: 'create' | 'edit' | 'none' | 'switch' | 'refresh' | 'pin' | 'refuse'
  /** Target of a switch. */
  readonly to?: SwitchTarget
}

/** The consequences of some changes. */
export interface Plan {
  readonly changes: readonly ChangeSummary[]
  readonly refusals: readonly Refusal[]
  /** The VMs that a changed object concerns, those that need a human first. */
  readonly virtualMachines: readonly PlannedVm[]
  readonly summary: Readonly<Record<Effect, number>>
  /** Number of selected VMs that no change affects. */
  readonly unconcerned: number
}

/** Something that shall be changed. */
export type Change =
  /** As `kubectl apply` would do it. */
  | { readonly kind: 'apply'; readonly manifest: Manifest }
  | { readonly kind: 'switch'; readonly vm: ObjectKey; readonly to: SwitchTarget }
  | { readonly kind: 'refresh'; readonly vm: ObjectKey }
  /** Back to a revision. */
  | { readonly kind: 'pin'; readonly vm: ObjectKey; readonly family: SwitchTarget['family']; readonly matcher: InstancetypeMatcher }

/** The instance type or preference that a VM is to have. */
export interface SwitchTarget {
  readonly family: 'instancetype' | 'preference'
  /** Absent: the kind that the VM names now, else the cluster kind. */
  readonly kind?: string
  readonly name: string
}

/** An object of a file. */
export interface Manifest {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}
