import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

const unschedulable = { annotation: 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds', seconds: 300 } as const
const pending = { annotation: 'kubevirt.io/migrationPendingPodTimeoutSeconds', seconds: 900 } as const

/**
 * Returns the seconds for the target pod to be scheduled, and to start; the latter also bounds how
 * long the agents may take to begin.
 */
export function podTimeoutsSeconds({ metadata }: VirtualMachineInstanceMigration): {
  readonly unschedulable: number
  readonly pending: number
} {
  const of = ({ annotation, seconds }: { readonly annotation: string; readonly seconds: number }): number => {
    const asked = Number(metadata.annotations?.[annotation])
    return Number.isSafeInteger(asked) && asked > 0 ? asked : seconds
  }
  return { unschedulable: of(unschedulable), pending: of(pending) }
}
