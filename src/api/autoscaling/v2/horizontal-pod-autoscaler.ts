import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'

/** Scales a workload by what it uses. */
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
  /**
   * Metrics to measure.
   * @listType atomic
   */
  metrics?: MetricSpec[]
  /** How fast it may scale. */
  behavior?: HorizontalPodAutoscalerBehavior
}

/**
 * Names an object whatever the version.
 * @mapType atomic
 */
export interface CrossVersionObjectReference {
  /** Kind. */
  kind: string
  /** Name. */
  name: string
  /** API version. */
  apiVersion?: string
}

/** Something to measure. */
export interface MetricSpec {
  /** Object, Pods, Resource, ContainerResource or External. */
  type: string
  /** A metric of an object. */
  object?: ObjectMetricSource
  /** A metric of each pod. */
  pods?: PodsMetricSource
  /** A resource of the pods. */
  resource?: ResourceMetricSource
  /** A resource of one container of the pods. */
  containerResource?: ContainerResourceMetricSource
  /** A metric from outside. */
  external?: PodsMetricSource
}

/** A metric of an object. */
export interface ObjectMetricSource {
  /** The object. */
  describedObject: CrossVersionObjectReference
  /** Target value. */
  target: MetricTarget
  /** The metric. */
  metric: MetricIdentifier
}

/** A metric, and what it should be. */
export interface PodsMetricSource {
  /** The metric. */
  metric: MetricIdentifier
  /** Target value. */
  target: MetricTarget
}

/** A resource of pods. */
export interface ResourceMetricSource {
  /** cpu or memory. */
  name: string
  /** Target value. */
  target: MetricTarget
}

/** A resource of one container. */
export interface ContainerResourceMetricSource {
  /** cpu or memory. */
  name: string
  /** Target value. */
  target: MetricTarget
  /** The container. */
  container: string
}

/** Names a metric. */
export interface MetricIdentifier {
  /** Its name. */
  name: string
  /** Which of its series. */
  selector?: LabelSelector
}

/** Target value of a metric. */
export interface MetricTarget {
  /** Utilization, Value or AverageValue. */
  type: string
  /** In all. */
  value?: Quantity
  /** On average. */
  averageValue?: Quantity
  /** Percent of what was requested, on average. */
  averageUtilization?: Int32
}

/** How fast an autoscaler may scale. */
export interface HorizontalPodAutoscalerBehavior {
  /** Upwards. */
  scaleUp?: HPAScalingRules
  /** Downwards. */
  scaleDown?: HPAScalingRules
}

/** How fast an autoscaler may scale in one direction. */
export interface HPAScalingRules {
  /** Seconds of looking back before it does. */
  stabilizationWindowSeconds?: Int32
  /** Max, Min or Disabled. */
  selectPolicy?: string
  /**
   * Limits.
   * @listType atomic
   */
  policies?: HPAScalingPolicy[]
  /** How far off the metric may be. */
  tolerance?: Quantity
}

/** A limit of scaling. */
export interface HPAScalingPolicy {
  /** Pods or Percent. */
  type: string
  /** How many. */
  value: Int32
  /** In how many seconds. */
  periodSeconds: Int32
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
  /**
   * Measured value.
   * @listType atomic
   */
  currentMetrics?: MetricStatus[]
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: HorizontalPodAutoscalerCondition[]
}

/** Measured value. */
export interface MetricStatus {
  /** Object, Pods, Resource, ContainerResource or External. */
  type: string
  /** A resource of the pods. */
  resource?: ResourceMetricStatus
}

/** A measured resource. */
export interface ResourceMetricStatus {
  /** cpu or memory. */
  name: string
  /** Current value. */
  current: MetricValueStatus
}

/** A measured value. */
export interface MetricValueStatus {
  /** In all. */
  value?: Quantity
  /** On average. */
  averageValue?: Quantity
  /** Percent of what was requested, on average. */
  averageUtilization?: Int32
}

/** The state in one aspect. */
export interface HorizontalPodAutoscalerCondition {
  /** The aspect. */
  type: string
  /** True, False or Unknown. */
  status: string
  /** When it changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}
