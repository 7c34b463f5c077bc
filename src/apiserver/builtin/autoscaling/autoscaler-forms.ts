import type { HorizontalPodAutoscaler as Older } from '#api/autoscaling/v1/horizontal-pod-autoscaler.ts'
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerBehavior, MetricSpec } from '#api/autoscaling/v2/horizontal-pod-autoscaler.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'

// autoscaling/v1 has one metric; other fields are kept in annotations, as in Kubernetes.
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics'
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior'

/** Converts an autoscaler to an apiVersion. */
export function translateAutoscaler(object: KubeObject, apiVersion: string): KubeObject {
  return apiVersion === 'autoscaling/v1' ? toOlder(object as HorizontalPodAutoscaler) : toNewer(object as Older)
}

function isCpu({ type, resource }: MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined
}

function toOlder(autoscaler: HorizontalPodAutoscaler): KubeObject {
  const { spec, status, metadata } = autoscaler
  if (spec === undefined) return { ...autoscaler, apiVersion: 'autoscaling/v1' }
  const { metrics = [], behavior, ...same } = spec
  const cpu = metrics.find(isCpu)
  const others = metrics.filter((metric) => metric !== cpu)
  const annotations = {
    ...metadata.annotations,
    ...(others.length === 0 ? {} : { [metricsAnnotation]: JSON.stringify(others) }),
    ...(behavior === undefined ? {} : { [behaviorAnnotation]: JSON.stringify(behavior) }),
  }
  const target = cpu?.resource?.target.averageUtilization
  const older: Older = {
    ...autoscaler,
    apiVersion: 'autoscaling/v1',
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...same, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    ...(status === undefined ? {} : { status: { ...olderStatus(status) } }),
  }
  return older
}

function olderStatus(status: NonNullable<HorizontalPodAutoscaler['status']>): NonNullable<Older['status']> {
  const { currentMetrics, conditions: _, ...same } = status
  const current = currentMetrics?.find(({ resource }) => resource?.name === 'cpu')?.resource?.current.averageUtilization
  return { ...same, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) }
}

function toNewer(autoscaler: Older): KubeObject {
  const { spec, metadata } = autoscaler
  const { [metricsAnnotation]: metricsText, [behaviorAnnotation]: behaviorText, ...annotations } = metadata.annotations ?? {}
  const others = (parsed(metricsText) as MetricSpec[] | undefined) ?? []
  const behavior = parsed(behaviorText) as HorizontalPodAutoscalerBehavior | undefined
  if (spec === undefined) return { ...autoscaler, apiVersion: 'autoscaling/v2' }
  const { targetCPUUtilizationPercentage: percent, ...same } = spec
  const metrics = percent === undefined ? others : [cpuMetric(percent), ...others]
  const newer: HorizontalPodAutoscaler = {
    ...autoscaler,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, annotations),
    spec: { ...same, ...(metrics.length === 0 ? {} : { metrics }), ...(behavior === undefined ? {} : { behavior }) },
  }
  return newer
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }
}

function withAnnotations(metadata: ObjectMeta, annotations: Record<string, string>): ObjectMeta {
  const { annotations: _, ...rest } = metadata
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations }
}

/** Returns undefined for invalid JSON in an annotation. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
