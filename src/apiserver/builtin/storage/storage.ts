import type { CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment } from '#api/storage/v1/csi.ts'
import { csiDrivers, csiNodes, csiStorageCapacities, storageClasses, volumeAttachments } from '#api/storage/v1/resources.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, Strategy } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { immutableField } from '../checks/immutable-field.ts'
import { storageClassColumns } from './storage-columns.ts'
import { storedOnly } from '../stored-only.ts'

const strategy: Strategy = {
  validate(object, old) {
    if (old === undefined) return []
    const [next, before] = [object as StorageClass, old as StorageClass]
    return [
      ...immutableField('provisioner', next.provisioner, before.provisioner),
      ...immutableField('parameters', next.parameters, before.parameters),
    ]
  },
}

const driverStrategy: Strategy = {
  ...storedOnly('CSIDriver', 'the kubelet talks to no CSI drivers'),
  prepareForCreate: (object) => withDriverDefaults(object as CSIDriver),
  prepareForUpdate: (object) => withDriverDefaults(object as CSIDriver),
}

function withDriverDefaults(object: CSIDriver): CSIDriver {
  const defaults: CSIDriver['spec'] = {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  }
  return { ...object, spec: { ...defaults, ...object.spec } }
}

const driver = columnsOf<CSIDriver>()
const node = columnsOf<CSINode>()
const capacity = columnsOf<CSIStorageCapacity>()
const attachment = columnsOf<VolumeAttachment>()
const boolean = { type: 'boolean' } as const

/** Kinds of CSI drivers. */
function driverDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...csiDrivers,
      schema: schemaOf(csiDrivers),
      columns: [
        nameColumn,
        driver('AttachRequired', ({ spec }) => spec.attachRequired ?? true, boolean),
        driver('PodInfoOnMount', ({ spec }) => spec.podInfoOnMount ?? false, boolean),
        driver('StorageCapacity', ({ spec }) => spec.storageCapacity ?? false, boolean),
        driver('TokenRequests', ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>'),
        driver('RequiresRepublish', ({ spec }) => spec.requiresRepublish ?? false, boolean),
        driver('Modes', ({ spec }) => (spec.volumeLifecycleModes ?? ['Persistent']).join(',')),
        ageColumn,
      ],
      strategy: driverStrategy,
    }),
    defineResource({
      ...csiNodes,
      schema: schemaOf(csiNodes),
      columns: [nameColumn, node('Drivers', ({ spec }) => spec.drivers.length, { type: 'integer' }), ageColumn],
      strategy: storedOnly('CSINode', 'the kubelet talks to no CSI drivers'),
    }),
    defineResource({
      ...csiStorageCapacities,
      schema: schemaOf(csiStorageCapacities),
      columns: [
        nameColumn,
        capacity('StorageClassName', ({ storageClassName }) => storageClassName),
        capacity('Capacity', (object) => String(object.capacity ?? '')),
      ],
      strategy: storedOnly('CSIStorageCapacity', 'nothing asks how much space drivers have'),
    }),
    defineResource({
      ...volumeAttachments,
      schema: schemaOf(volumeAttachments),
      hasStatus: true,
      columns: [
        nameColumn,
        attachment('Attacher', ({ spec }) => spec.attacher),
        attachment('PV', ({ spec }) => spec.source.persistentVolumeName ?? ''),
        attachment('Node', ({ spec }) => spec.nodeName),
        attachment('Attached', ({ status }) => status?.attached ?? false, boolean),
        ageColumn,
      ],
      strategy: storedOnly('VolumeAttachment', 'nothing attaches volumes to nodes'),
    }),
  ]
}

/** Resources of `storage.k8s.io/v1`. */
export function storageDefinitions(): ResourceDefinition[] {
  return [
    defineResource({ ...storageClasses, shortNames: ['sc'], schema: schemaOf(storageClasses), columns: storageClassColumns, strategy }),
    ...driverDefinitions(),
  ]
}
