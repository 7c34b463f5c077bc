import type { Pod } from '#api/core/v1/pod.ts'
import type {
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationPhase as Phase,
} from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** What is known of a migration. Times are milliseconds since the epoch. */
export interface Observed {
  readonly migration: VirtualMachineInstanceMigration
  readonly vmi: VirtualMachineInstance | undefined
  /** The pod that the guest is to move to. */
  readonly target: Pod | undefined
  /** The pod that the guest is to leave. */
  readonly source?: Pod | undefined
  /** The guest is in the middle of a migration that no object asks for any more. */
  readonly isOrphaned?: boolean
  /**
   * Which of the two node agents have not been heard of for so long that they are taken for gone.
   */
  readonly silent?: { readonly source: boolean; readonly target: boolean }
  /** Why it has to wait for others, and how long until it is worth looking again. */
  readonly wait: { readonly ms: number; readonly reason?: 'MigrationBackoff' } | undefined
  /** Migrations of the same guest that are over, and too many. */
  readonly excess: readonly VirtualMachineInstanceMigration[]
}

/** The one step to take now. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'wait'; readonly ms: number; readonly reason?: 'MigrationBackoff' }
  | { readonly kind: 'enter'; readonly phase: Phase; readonly again?: number }
  | { readonly kind: 'createTarget' }
  | { readonly kind: 'handOver'; readonly target: Pod }
  | { readonly kind: 'requestAbort' }
  /** Ask the source to give up a migration that no object asks for any more. */
  | { readonly kind: 'endStray' }
  /** The kubelet says what the source's agent does not: the guest's QEMU has ended there. */
  | { readonly kind: 'sourceEnded' }
  /** Nobody carries it on: the guest stays, or is lost with its node. */
  | { readonly kind: 'conclude'; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string }
  /** It is over: take away what is left of it, once. */
  | { readonly kind: 'cleanUp'; readonly succeeded: boolean }

/** The step to a phase that a migration may be in already. */
export function enter({ status }: VirtualMachineInstanceMigration, phase: Phase): Step {
  return status?.phase === phase ? { kind: 'none' } : { kind: 'enter', phase }
}
