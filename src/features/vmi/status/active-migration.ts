import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** The migration that a guest is in, or undefined when it is in none. */
export function activeMigration({ status }: VirtualMachineInstance): VirtualMachineInstanceMigrationState | undefined {
  const state = status?.migrationState
  return state === undefined || state.migrationUid === undefined || state.completed === true || state.failed === true ? undefined : state
}
