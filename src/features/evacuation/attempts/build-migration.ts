import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { evictionNames } from '#features/eviction/index.ts'
import { attemptName } from './attempt-name.ts'
import type { Guest } from '../decide.ts'
import { evacuationNames } from '../names.ts'

/**
 * Builds the next migration of a guest that leaves a node. `selector` adds node labels to those
 * that the VMI requires.
 */
export function buildMigration(
  { vmi, migrations }: Guest,
  nodeName: string,
  addedNodeSelector?: Readonly<Record<string, string>>,
): VirtualMachineInstanceMigration {
  const { name = '', namespace = '', annotations } = vmi.metadata
  const isByDescheduler = annotations?.[evictionNames.sourceAnnotation] === evictionNames.descheduler
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: {
      name: attemptName('kubevirt-evacuation-', vmi, migrations),
      namespace,
      annotations: { [evacuationNames.migrationAnnotation]: nodeName },
    },
    spec: {
      vmiName: name,
      priority: isByDescheduler ? 'system-maintenance' : 'system-critical',
      ...(addedNodeSelector === undefined ? {} : { addedNodeSelector }),
    },
  }
}
