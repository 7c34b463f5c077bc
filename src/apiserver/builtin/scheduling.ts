import type { PriorityClass } from '#api/scheduling/v1/priority-class.ts'
import { priorityClasses } from '#api/scheduling/v1/resources.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, Strategy } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { forbiddenField, immutableField } from './checks/immutable-field.ts'

const highestOfUsers = 1_000_000_000
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
])

const strategy: Strategy = {
  prepareForCreate(object) {
    const one = object as PriorityClass
    const complete: PriorityClass = { ...one, preemptionPolicy: one.preemptionPolicy ?? 'PreemptLowerPriority' }
    return complete
  },
  validate(object, old) {
    const one = object as PriorityClass
    if (old === undefined) return validateNew(one)
    const before = old as PriorityClass
    const forbiddenChange = 'may not be changed in an update.'
    return [
      ...(one.value === before.value ? [] : [forbiddenField('value', forbiddenChange)]),
      ...immutableField('preemptionPolicy', one.preemptionPolicy, before.preemptionPolicy),
    ]
  },
}

function validateNew({ metadata, value }: PriorityClass): readonly FieldError[] {
  const name = metadata.name ?? ''
  if (systemClasses.get(name) === value) return []
  const why = "priority class names with 'system-' prefix are reserved for system use only. error: "
  if (name.startsWith('system-')) return [forbiddenField('metadata.name', `${why}${name} is not a known system priority class`)]
  return value > highestOfUsers ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${highestOfUsers}`)] : []
}

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
      strategy,
    }),
  ]
}
