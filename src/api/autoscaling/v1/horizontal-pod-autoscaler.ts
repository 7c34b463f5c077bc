import type { CrossVersionObjectReference } from '#api/autoscaling/v2/horizontal-pod-autoscaler.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'

/** Scales a workload by the CPU it uses. The older form of the kind in `autoscaling/v2`. */
export interface HorizontalPodAutoscaler extends ApiObject {
  /** Desired state. */
  spec?: HorizontalPodAutoscalerSpec
  /** Observed state. */
  status?: HorizontalPodAutoscalerStatus
}

/** Desired state of an autoscaler. */
export interface HorizontalPodAutoscalerSpec {
  /** The workload. */
  scaleTargetRef: CrossVersionObjectReference
  /** Fewest replicas. */
  minReplicas?: Int32
  /** Most replicas. */
  maxReplicas: Int32
  /** Percent of the requested CPU that pods should use, on average. */
  targetCPUUtilizationPercentage?: Int32
}

/** Observed state of an autoscaler. */
export interface HorizontalPodAutoscalerStatus {
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** When it scaled last. */
  lastScaleTime?: Time
  /** Replicas now. */
  currentReplicas?: Int32
  /** Replicas wanted. */
  desiredReplicas?: Int32
  /** Percent of the requested CPU that pods use, on average. */
  currentCPUUtilizationPercentage?: Int32
}
