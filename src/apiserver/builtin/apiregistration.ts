import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { apiServiceStrategy } from '#apiserver/builtin/api-service-strategy.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'

function serviceText({ spec }: APIService): string {
  const service = spec?.service
  return service === undefined || service === null ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`
}

function availableText({ status }: APIService): string {
  const condition = findCondition(status?.conditions, 'Available')
  if (condition === undefined) return 'Unknown'
  const { reason = '' } = condition
  return condition.status === 'True' || reason === '' ? condition.status : `${condition.status} (${reason})`
}

/** Resources of `apiregistration.k8s.io/v1`. */
export function apiregistrationDefinitions(): ResourceDefinition[] {
  const column = columnsOf<APIService>()
  return [
    defineResource({
      ...apiServices,
      categories: ['api-extensions'],
      // The name `v1.` of the core group is not a DNS subdomain.
      nameKind: 'path-segment',
      schema: schemaOf(apiServices),
      hasStatus: true,
      unconditionalUpdate: false,
      columns: [
        nameColumn,
        column('Service', serviceText, { description: 'The reference to the service that hosts this API endpoint.' }),
        column('Available', availableText, { description: 'Whether this service is available.' }),
        ageColumn,
      ],
      strategy: apiServiceStrategy,
    }),
  ]
}
