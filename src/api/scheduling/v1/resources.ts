import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { PriorityClass } from './priority-class.ts'

/** `/apis/scheduling.k8s.io/v1/priorityclasses` */
export const priorityClasses: ResourceType<PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
}
