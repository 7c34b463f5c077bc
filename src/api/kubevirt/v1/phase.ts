import type { VirtualMachineInstanceMigration } from './virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from './virtual-machine-instance.ts'

/** Reports whether the guest has ended. A VMI never leaves these phases. */
export function isVmiFinal({ status }: Pick<VirtualMachineInstance, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Reports whether the migration has ended, with or without success. */
export function isMigrationFinal({ status }: Pick<VirtualMachineInstanceMigration, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
