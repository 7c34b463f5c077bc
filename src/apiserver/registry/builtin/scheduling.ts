import type { PriorityClass } from '#api/scheduling/v1/priority-class.ts'
import { priorityClasses } from '#api/scheduling/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { immutableField } from './immutable-field.ts'

/** Resources of `scheduling.k8s.io/v1`. */
export function schedulingDefinitions(): ResourceDefinition[] {
  const column = columnsOf<PriorityClass>()
  return [
    defineResource({
      ...priorityClasses,
      shortNames: ['pc'],
      schema: schemaOf(priorityClasses),
      hasGeneration: true,
      columns: [
        nameColumn,
        column('Value', ({ value }) => value, { type: 'integer' }),
        column('Global-Default', ({ globalDefault }) => globalDefault ?? false, { type: 'boolean' }),
        ageColumn,
        column('PreemptionPolicy', ({ preemptionPolicy }) => preemptionPolicy ?? 'PreemptLowerPriority'),
      ],
      strategy: {
        validate: (object, old) =>
          old === undefined ? [] : immutableField('value', (object as PriorityClass).value, (old as PriorityClass).value),
      },
    }),
  ]
}
