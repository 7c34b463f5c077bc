import type { MutatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'

/** Resources of `admissionregistration.k8s.io/v1`. */
export function admissionregistrationDefinitions(): ResourceDefinition[] {
  const column = columnsOf<MutatingWebhookConfiguration>()
  const columns = [nameColumn, column('Webhooks', ({ webhooks }) => (webhooks ?? []).length, { type: 'integer' }), ageColumn]
  return [mutatingWebhookConfigurations, validatingWebhookConfigurations].map((resource) =>
    defineResource({
      ...resource,
      categories: ['api-extensions'],
      schema: schemaOf(resource),
      hasGeneration: true,
      unconditionalUpdate: false,
      columns,
    }),
  )
}
