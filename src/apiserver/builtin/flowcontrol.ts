import type { FlowSchema, PriorityLevelConfiguration } from '#api/flowcontrol/v1/flow-schema.ts'
import { flowSchemas, priorityLevelConfigurations } from '#api/flowcontrol/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { flowSchemaStrategy, priorityLevelStrategy } from './flow-control-strategy.ts'

const schema = columnsOf<FlowSchema>()
const level = columnsOf<PriorityLevelConfiguration>()

/** Returns the status of the condition that reports a missing priority level. */
function danglingOf({ status }: FlowSchema): string {
  return status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?'
}

function shown(value: string | number | undefined): string {
  return value === undefined ? '<none>' : String(value)
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
        schema('PriorityLevel', ({ spec }) => shown(spec?.priorityLevelConfiguration?.name)),
        schema('MatchingPrecedence', ({ spec }) => shown(spec?.matchingPrecedence)),
        schema('DistinguisherMethod', ({ spec }) => shown(spec?.distinguisherMethod?.type)),
        ageColumn,
        schema('MissingPL', danglingOf),
      ],
      strategy: flowSchemaStrategy,
    }),
    defineResource({
      ...priorityLevelConfigurations,
      schema: schemaOf(priorityLevelConfigurations),
      hasStatus: true,
      hasGeneration: true,
      columns: [
        nameColumn,
        level('Type', ({ spec }) => shown(spec?.type)),
        level('NominalConcurrencyShares', ({ spec }) => shown(spec?.limited?.nominalConcurrencyShares)),
        level('Queues', ({ spec }) => shown(spec?.limited?.limitResponse?.queuing?.queues)),
        level('HandSize', ({ spec }) => shown(spec?.limited?.limitResponse?.queuing?.handSize)),
        level('QueueLengthLimit', ({ spec }) => shown(spec?.limited?.limitResponse?.queuing?.queueLengthLimit)),
        ageColumn,
      ],
      strategy: priorityLevelStrategy,
    }),
  ]
}
