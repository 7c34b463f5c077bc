import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'

/** Scales a workload by its usage of resources and by other metrics. */
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
  /**
   * Metrics to measure.
   * @listType atomic
   */
  metrics?: MetricSpec[]
  /** Limits on the speed of scaling. */
  behavior?: HorizontalPodAutoscalerBehavior
}

/**
 * Reference to an object, independent of the API version.
 * @mapType atomic
 */
export interface CrossVersionObjectReference {
  /** Kind of the object. */
  kind: string
  /** Name of the object. */
  name: string
  /** API version of the object. */
  apiVersion?: string
}

/** Metric to measure. */
export interface MetricSpec {
  /** Type of the metric: Object, Pods, Resource, ContainerResource or External. */
  type: string
  /** Metric of an object. */
  object?: ObjectMetricSource
  /** Metric of each pod. */
  pods?: PodsMetricSource
  /** Resource of the pods. */
  resource?: ResourceMetricSource
  /** Resource of one container of the pods. */
  containerResource?: ContainerResourceMetricSource
  /** Metric from outside of the cluster. */
  external?: PodsMetricSource
}

/** Metric of an object. */
export interface ObjectMetricSource {
  /** Reference to the object. */
  describedObject: CrossVersionObjectReference
  /** Target value. */
  target: MetricTarget
  /** Identifier of the metric. */
  metric: MetricIdentifier
}

/** Metric and its target value. */
export interface PodsMetricSource {
  /** Identifier of the metric. */
  metric: MetricIdentifier
  /** Target value. */
  target: MetricTarget
}

/** Resource of pods and its target value. */
export interface ResourceMetricSource {
  /** Name of the resource: cpu or memory. */
  name: string
  /** Target value. */
  target: MetricTarget
}

/** Resource of one container and its target value. */
export interface ContainerResourceMetricSource {
  /** Name of the resource: cpu or memory. */
  name: string
  /** Target value. */
  target: MetricTarget
  /** Name of the container. */
  container: string
}

/** Identifier of a metric. */
export interface MetricIdentifier {
  /** Name of the metric. */
  name: string
  /** Label selector for the series of the metric. */
  selector?: LabelSelector
}

/** Target value of a metric. */
export interface MetricTarget {
  /** Type of the target: Utilization, Value or AverageValue. */
  type: string
  /** Total value. */
  value?: Quantity
  /** Average value. */
  averageValue?: Quantity
  /** Average value in percent of the requested amount. */
  averageUtilization?: Int32
}

/** Limits on the speed of scaling. */
export interface HorizontalPodAutoscalerBehavior {
  /** Rules for scaling up. */
  scaleUp?: HPAScalingRules
  /** Rules for scaling down. */
  scaleDown?: HPAScalingRules
}

/** Limits on the speed of scaling in one direction. */
export interface HPAScalingRules {
  /** Seconds of past recommendations that are considered before scaling. */
  stabilizationWindowSeconds?: Int32
  /** Selection of the policy that applies: Max, Min or Disabled. */
  selectPolicy?: string
  /**
   * Policies that limit scaling.
   * @listType atomic
   */
  policies?: HPAScalingPolicy[]
  /** Tolerated deviation of the metric from the target value. */
  tolerance?: Quantity
}

/** Policy that limits scaling. */
export interface HPAScalingPolicy {
  /** Type of the policy: Pods or Percent. */
  type: string
  /** Maximum change within the period. */
  value: Int32
  /** Length of the period in seconds. */
  periodSeconds: Int32
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
  /**
   * Measured values of the metrics.
   * @listType atomic
   */
  currentMetrics?: MetricStatus[]
  /**
   * Conditions of the autoscaler.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: HorizontalPodAutoscalerCondition[]
}

/** Measured value of a metric. */
export interface MetricStatus {
  /** Type of the metric: Object, Pods, Resource, ContainerResource or External. */
  type: string
  /** Resource of the pods. */
  resource?: ResourceMetricStatus
}

/** Measured value of a resource. */
export interface ResourceMetricStatus {
  /** Name of the resource: cpu or memory. */
  name: string
  /** Current value. */
  current: MetricValueStatus
}

/** Measured value. */
export interface MetricValueStatus {
  /** Total value. */
  value?: Quantity
  /** Average value. */
  averageValue?: Quantity
  /** Average value in percent of the requested amount. */
  averageUtilization?: Int32
}

/** Condition of an autoscaler. */
export interface HorizontalPodAutoscalerCondition {
  /** Type of the condition. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}
