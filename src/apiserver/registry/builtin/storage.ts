import { storageClasses } from '#api/storage/v1/resources.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, Strategy } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { immutableField } from './immutable-field.ts'
import { storageClassColumns } from './storage-columns.ts'

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

/** Resources of `storage.k8s.io/v1`. */
export function storageDefinitions(): ResourceDefinition[] {
  return [
    defineResource({ ...storageClasses, shortNames: ['sc'], schema: schemaOf(storageClasses), columns: storageClassColumns, strategy }),
  ]
}
