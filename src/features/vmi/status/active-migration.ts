import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Returns the state of the migration in progress, or undefined. */
export function activeMigration({ status }: VirtualMachineInstance): VirtualMachineInstanceMigrationState | undefined {
  const state = status?.migrationState
  return state === undefined || state.migrationUid === undefined || state.completed === true || state.failed === true ? undefined : state
}
