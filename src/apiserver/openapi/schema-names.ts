import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** Names of shared schemas. */
export const metaSchemaNames = {
  objectMeta: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  listMeta: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta',
  ownerReference: 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
  managedFields: 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry',
  status: 'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
  deleteOptions: 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  patch: 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch',
} as const

/**
 * Returns the schema name of a kind: for built-in kinds their Go package, for custom ones the
 * reversed group.
 */
export function schemaName(definition: Pick<ResourceDefinition, 'group' | 'version' | 'custom'>, kind: string): string {
  const { group, version } = definition
  if (definition.custom) return `${group.split('.').toReversed().join('.')}.${version}.${kind}`
  if (group === 'apiextensions.k8s.io') return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`
  if (group === 'apiregistration.k8s.io') return `io.k8s.kube-aggregator.pkg.apis.apiregistration.${version}.${kind}`
  return `io.k8s.api.${group === '' ? 'core' : (group.split('.', 1)[0] ?? group)}.${version}.${kind}`
}
