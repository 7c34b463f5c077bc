import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { HorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts'

/** `/apis/autoscaling/v2/horizontalpodautoscalers` */
export const horizontalPodAutoscalers: ResourceType<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
}
