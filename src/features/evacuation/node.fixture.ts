import type { Node } from '#api/core/v1/node.ts'
import type {
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationPhase,
} from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

/** A schedulable node. */
export function node(
  name: string,
  changes: { readonly spec?: Node['spec']; readonly labels?: Record<string, string>; readonly isReady?: boolean } = {},
): Node {
  return {
    metadata: { name, labels: { 'kubevirt.io/schedulable': 'true', ...changes.labels } },
    spec: { ...changes.spec },
    status: { conditions: [{ type: 'Ready', status: changes.isReady === false ? 'False' : 'True' }] },
  } as Node
}

/**
 * A migration of the guest `web` away from `n1`, by this controller by default, that entered its
 * phase at the given time.
 */
export function migration(
  name: string,
  phase: VirtualMachineInstanceMigrationPhase,
  atMs: number,
  annotation: string | undefined = 'n1',
): VirtualMachineInstanceMigration {
  const at = new Date(atMs).toISOString()
  return {
    metadata: {
      name,
      uid: name,
      namespace: 'ns',
      creationTimestamp: at,
      ...(annotation === undefined ? {} : { annotations: { 'kubevirt.io/evacuationMigration': annotation } }),
    },
    spec: { vmiName: 'web' },
    status: { phase, phaseTransitionTimestamps: [{ phase, phaseTransitionTimestamp: at }] },
  }
}
