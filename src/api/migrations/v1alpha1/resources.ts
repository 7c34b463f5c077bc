import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { MigrationPolicy } from './migration-policy.ts'

/** `/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies` */
export const migrationPolicies: ResourceType<MigrationPolicy> = {
  group: 'migrations.kubevirt.io',
  version: 'v1alpha1',
  kind: 'MigrationPolicy',
  plural: 'migrationpolicies',
  namespaced: false,
}
