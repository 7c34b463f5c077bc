import { createHash } from 'node:crypto'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { evictionNames } from '#features/eviction/index.ts'
import type { Guest } from './decide.ts'
import { evacuationNames } from './names.ts'

/**
 * The next migration of a guest that leaves a node. Its name follows from those that there have been: a controller that has crashed, or looks at an old
 * cache, asks for the same one again and not for a second.
 */
export function migrationOf({ vmi, migrations }: Guest, nodeName: string): VirtualMachineInstanceMigration {
  const { name = '', namespace = '', uid = '', annotations } = vmi.metadata
  const isByDescheduler = annotations?.[evictionNames.sourceAnnotation] === evictionNames.descheduler
  const before = migrations.map(({ metadata }) => metadata.uid ?? '').toSorted()
  const suffix = createHash('sha256')
    .update([uid, ...before].join('/'))
    .digest('hex')
    .slice(0, 10)
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: {
      name: `kubevirt-evacuation-${suffix}`,
      namespace,
      annotations: { [evacuationNames.migrationAnnotation]: nodeName },
    },
    spec: { vmiName: name, priority: isByDescheduler ? 'system-maintenance' : 'system-critical' },
  }
}
