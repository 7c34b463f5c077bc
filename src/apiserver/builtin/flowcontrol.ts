import type { FlowSchema, PriorityLevelConfiguration } from '#api/flowcontrol/v1/flow-schema.ts'
import { flowSchemas, priorityLevelConfigurations } from '#api/flowcontrol/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { storedOnly } from './stored-only.ts'

const schema = columnsOf<FlowSchema>()
const level = columnsOf<PriorityLevelConfiguration>()
const missing = 'one limit for all requests is in force'

function nested(object: unknown, field: string): unknown {
  return typeof object === 'object' && object !== null ? (object as Record<string, unknown>)[field] : undefined
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '<none>'
}

function queuing(spec: unknown, field: string): string {
  return text(nested(nested(nested(nested(spec, 'limited'), 'limitResponse'), 'queuing'), field))
}

/** Returns the status of the condition that reports a missing priority level. */
function danglingOf(status: unknown): string {
  const conditions = nested(status, 'conditions')
  const dangling = Array.isArray(conditions) ? conditions.find((condition) => nested(condition, 'type') === 'Dangling') : undefined
  return dangling === undefined ? '?' : text(nested(dangling, 'status'))
}

/** Resources of `flowcontrol.apiserver.k8s.io/v1`. */
export function flowcontrolDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...flowSchemas,
      schema: schemaOf(flowSchemas),
      hasStatus: true,
      hasGeneration: true,
      columns: [
        nameColumn,
        schema('PriorityLevel', ({ spec }) => text(nested(nested(spec, 'priorityLevelConfiguration'), 'name'))),
        schema('MatchingPrecedence', ({ spec }) => text(nested(spec, 'matchingPrecedence'))),
        schema('DistinguisherMethod', ({ spec }) => text(nested(nested(spec, 'distinguisherMethod'), 'type'))),
        ageColumn,
        schema('MissingPL', ({ status }) => danglingOf(status)),
      ],
      strategy: storedOnly('FlowSchema', missing),
    }),
    defineResource({
      ...priorityLevelConfigurations,
      schema: schemaOf(priorityLevelConfigurations),
      hasStatus: true,
      hasGeneration: true,
      columns: [
        nameColumn,
        level('Type', ({ spec }) => text(nested(spec, 'type'))),
        level('NominalConcurrencyShares', ({ spec }) => text(nested(nested(spec, 'limited'), 'nominalConcurrencyShares'))),
        level('Queues', ({ spec }) => queuing(spec, 'queues')),
        level('HandSize', ({ spec }) => queuing(spec, 'handSize')),
        level('QueueLengthLimit', ({ spec }) => queuing(spec, 'queueLengthLimit')),
        ageColumn,
      ],
      strategy: storedOnly('PriorityLevelConfiguration', missing),
    }),
  ]
}
