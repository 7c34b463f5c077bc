import { endpointSlices } from '#api/discovery/v1/resources.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'
import { endpointSliceColumns } from './core/network-columns.ts'

/** Resources of `discovery.k8s.io/v1`. */
export function discoveryDefinitions(): ResourceDefinition[] {
  return [defineResource({ ...endpointSlices, schema: schemaOf(endpointSlices), hasGeneration: true, columns: endpointSliceColumns })]
}
