import type { Pod } from '#api/core/v1/pod.ts'
import type {
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationPhase as Phase,
} from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** A migration with its objects. Times are milliseconds since the epoch. */
export interface Observed {
  readonly migration: VirtualMachineInstanceMigration
  readonly vmi: VirtualMachineInstance | undefined
  /** Target pod. */
  readonly target: Pod | undefined
  /** Source pod. */
  readonly source?: Pod | undefined
  /** The guest is in a migration whose object is gone. */
  readonly isOrphaned?: boolean
  /** Node agents without a recent heartbeat. */
  readonly silent?: { readonly source: boolean; readonly target: boolean }
  /** Milliseconds until an agent that is being replaced counts as silent. Default: never. */
  readonly silentInMs?: number
  /** Reason why the migration waits in the queue, and milliseconds until the next check. */
  readonly wait: { readonly ms: number; readonly reason?: 'MigrationBackoff' } | undefined
  /** Final migrations of the same guest beyond those that are kept. */
  readonly excess: readonly VirtualMachineInstanceMigration[]
}

/** The step to take now. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'wait'; readonly ms: number; readonly reason?: 'MigrationBackoff' }
  | { readonly kind: 'enter'; readonly phase: Phase; readonly again?: number }
  | { readonly kind: 'createTarget' }
  | { readonly kind: 'handOver'; readonly target: Pod }
  | { readonly kind: 'requestAbort' }
  /** Ask the source to abort a migration whose object is gone. */
  | { readonly kind: 'endStray' }
  /** Record that QEMU has ended on the source: its pod has ended while its agent is silent. */
  | { readonly kind: 'sourceEnded' }
  /**
   * Fail a migration that no agent continues: the guest stays on its source, or is lost with its
   * node.
   */
  | { readonly kind: 'conclude'; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string }
  /** Clean up after a final migration, once. */
  | { readonly kind: 'cleanUp'; readonly succeeded: boolean }

/** Returns the step to a phase; none when the migration is in it. */
export function enter({ status }: VirtualMachineInstanceMigration, phase: Phase): Step {
  return status?.phase === phase ? { kind: 'none' } : { kind: 'enter', phase }
}
