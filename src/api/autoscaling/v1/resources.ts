import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { HorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts'

/** `/apis/autoscaling/v1/horizontalpodautoscalers`: the same objects as in `autoscaling/v2`. */
export const horizontalPodAutoscalers: ResourceType<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
}
