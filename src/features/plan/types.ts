import type { HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { InstancetypeMatcher } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Source } from '#features/instancetype/index.ts'

/**
 * What a change means for one VM. `unchanged`: nothing. `live`: takes effect without anybody
 * stopping a guest; for a halted VM, at its next start.
 * `restart`: its guest runs on as it is until it is restarted. `conflict`: VM and instance type contradict each other, so that the VM cannot start.
 * `blocked`: something is missing or refused.
 */
export type Effect = 'unchanged' | 'live' | 'restart' | 'conflict' | 'blocked'

/** All effects, the one that needs a human first. */
export const effects: readonly Effect[] = ['blocked', 'conflict', 'restart', 'live', 'unchanged']

/** An object, as far as it is needed to find it and to tell its states apart. */
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
   * Path in the VMI: `spec.domain.cpu.sockets`. What only the VM itself has starts with
   * `virtualMachine.`.
   */
  readonly path: string
  /** Absent when there was no value. */
  readonly old?: unknown
  /** Absent when there is no value any more. */
  readonly new?: unknown
  readonly effect: 'live' | 'restart'
  /** Who has decided the new value, or, when there is none, the old one. */
  readonly source: Source
  /** The object in which the value is written; absent for what is computed from other values. */
  readonly object?: ObjectReference
}

/** What is planned for one VM. */
export interface PlannedVm {
  readonly namespace: string
  readonly name: string
  readonly effect: Effect
  /** Whether it has a guest now. */
  readonly running: boolean
  /** Why nothing changes, or why it cannot. */
  readonly reason?: string
  readonly fields: readonly FieldChange[]
  /**
   * What the guest sees after its next start that it does not see now, by settings of QEMU: also
   * what nobody wrote, such as a card in another slot.
   */
  readonly hardware?: readonly HardwareFactChange[]
  /** What else the owner should know. */
  readonly notes: readonly string[]
}

/**
 * A change that the API would not take. The rest of the plan is made as if it had not been asked
 * for.
 */
export interface Refusal {
  readonly object: ObjectReference
  readonly messages: readonly string[]
}

/** What was asked for. */
export interface ChangeSummary {
  readonly object: ObjectReference
  readonly action: 'create' | 'edit' | 'none' | 'switch' | 'refresh' | 'pin' | 'refuse'
  /** What a VM is switched to. */
  readonly to?: SwitchTarget
}

/** The consequences of some changes. */
export interface Plan {
  readonly changes: readonly ChangeSummary[]
  readonly refusals: readonly Refusal[]
  /** The VMs that a changed object concerns, those that need a human first. */
  readonly virtualMachines: readonly PlannedVm[]
  readonly summary: Readonly<Record<Effect, number>>
  /** VMs that were looked at and that none of the changes concerns. */
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
