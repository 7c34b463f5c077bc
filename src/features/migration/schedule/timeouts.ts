import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

const unschedulable = { annotation: 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds', seconds: 300 } as const
const pending = { annotation: 'kubevirt.io/migrationPendingPodTimeoutSeconds', seconds: 900 } as const

/**
 * Seconds that the target's pod gets to find a node, and to start; and the agents after it, to
 * begin.
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
