import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { HyperConverged } from './hyperconverged.ts'

/** `/apis/hco.kubevirt.io/v1/hyperconvergeds` */
export const hyperConvergeds: ResourceType<HyperConverged> = {
  group: 'hco.kubevirt.io',
  version: 'v1',
  kind: 'HyperConverged',
  plural: 'hyperconvergeds',
  namespaced: true,
}
