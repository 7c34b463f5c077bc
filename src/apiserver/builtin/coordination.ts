import type { Lease } from '#api/coordination/v1/lease.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from './builtin-schemas.ts'

/**
 * Resources of `coordination.k8s.io/v1`. Leases require a resourceVersion on update, as a lock must
 * not be overwritten unconditionally.
 */
export function coordinationDefinitions(): ResourceDefinition[] {
  const column = columnsOf<Lease>()
  return [
    defineResource({
      ...leases,
      schema: schemaOf(leases),
      unconditionalUpdate: false,
      columns: [nameColumn, column('Holder', ({ spec }) => spec?.holderIdentity ?? ''), ageColumn],
    }),
  ]
}
