import { runtimeClasses } from '#api/node/v1/resources.ts'
import type { RuntimeClass } from '#api/node/v1/runtime-class.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { immutableField } from './checks/immutable-field.ts'
import { storedOnly } from './stored-only.ts'

const column = columnsOf<RuntimeClass>()

/** Resources of `node.k8s.io/v1`. */
export function nodeGroupDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...runtimeClasses,
      schema: schemaOf(runtimeClasses),
      columns: [nameColumn, column('Handler', ({ handler }) => handler), ageColumn],
      strategy: {
        ...storedOnly('RuntimeClass', 'all containers are processes of this machine'),
        validate: (object, old) =>
          old === undefined ? [] : immutableField('handler', (object as RuntimeClass).handler, (old as RuntimeClass).handler),
      },
    }),
  ]
}
