import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Lease } from './lease.ts'

/** `/apis/coordination.k8s.io/v1/leases` */
export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
}
