import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { createdAtColumn, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { definitionStrategy } from '#apiserver/extensions/definition-strategy.ts'
import { schemaOf } from './builtin-schemas.ts'

/** Resources of `apiextensions.k8s.io/v1`. */
export function apiextensionsDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...customResourceDefinitions,
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
      schema: schemaOf(customResourceDefinitions),
      hasStatus: true,
      hasGeneration: true,
      unconditionalUpdate: false,
      columns: [nameColumn, createdAtColumn],
      strategy: definitionStrategy,
    }),
  ]
}
