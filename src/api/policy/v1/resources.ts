import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { PodDisruptionBudget } from './pod-disruption-budget.ts'

/** `/apis/policy/v1/poddisruptionbudgets` */
export const podDisruptionBudgets: ResourceType<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
}
