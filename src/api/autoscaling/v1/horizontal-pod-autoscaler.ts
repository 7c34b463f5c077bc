import type { CrossVersionObjectReference } from '#api/autoscaling/v2/horizontal-pod-autoscaler.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'

/** Scales a workload by its CPU usage. Older version of the kind in `autoscaling/v2`. */
export interface HorizontalPodAutoscaler extends ApiObject {
  /** Desired state of the autoscaler. */
  spec?: HorizontalPodAutoscalerSpec
  /** Observed state of the autoscaler. */
  status?: HorizontalPodAutoscalerStatus
}

/** Desired state of an autoscaler. */
export interface HorizontalPodAutoscalerSpec {
  /** Reference to the workload to scale. */
  scaleTargetRef: CrossVersionObjectReference
  /** Minimum number of replicas. */
  minReplicas?: Int32
  /** Maximum number of replicas. */
  maxReplicas: Int32
  /** Target of the average CPU usage of the pods, in percent of the requested CPU. */
  targetCPUUtilizationPercentage?: Int32
}

/** Observed state of an autoscaler. */
export interface HorizontalPodAutoscalerStatus {
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /** Time when the workload was last scaled. */
  lastScaleTime?: Time
  /** Current number of replicas. */
  currentReplicas?: Int32
  /** Desired number of replicas. */
  desiredReplicas?: Int32
  /** Average CPU usage of the pods, in percent of the requested CPU. */
  currentCPUUtilizationPercentage?: Int32
}
