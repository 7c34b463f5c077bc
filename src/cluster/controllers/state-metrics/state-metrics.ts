import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import { nodes, persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import * as objects from './object-samples.ts'
import * as ofPods from './pod-samples.ts'

/**
 * Reports those families of kube-state-metrics that the alerts and recording rules read, so that
 * they hold in machine mode, too; but not what they compare with cAdvisor, which is not there. All
 * are read from caches at each scrape, and none is kept. States in which an object is not are left
 * out: of phases only the current one is reported.
 */
export function defineStateMetrics(metrics: Pick<Metrics, 'gaugeFrom' | 'counterFrom'>, informers: Pick<InformerSet, 'informer'>): void {
  const reading = <T extends KubeObject>(
    resource: ResourceType<T>,
    samplesOf: (object: T) => readonly Sample[],
  ): (() => Iterable<Sample>) => {
    const cache = informers.informer(resource)
    return function* () {
      for (const object of cache.list()) yield* samplesOf(object)
    }
  }
  metrics.gaugeFrom({ name: 'kube_pod_info', help: 'Node of a pod' }, reading(pods, ofPods.podInfo))
  metrics.gaugeFrom({ name: 'kube_pod_status_phase', help: 'Current phase of a pod' }, reading(pods, ofPods.podPhase))
  metrics.gaugeFrom({ name: 'kube_pod_status_ready', help: '1 when a pod is ready, otherwise 0' }, reading(pods, ofPods.podReady))
  metrics.counterFrom(
    { name: 'kube_pod_container_status_restarts_total', help: 'Restarts of a container' },
    reading(pods, ofPods.containerRestarts),
  )
  metrics.gaugeFrom(
    { name: 'kube_pod_spec_volumes_persistentvolumeclaims_info', help: 'Claims that a pod uses' },
    reading(pods, ofPods.podClaims),
  )
  metrics.gaugeFrom({ name: 'kube_node_labels', help: 'Labels of a node' }, reading(nodes, objects.nodeLabels))
  metrics.gaugeFrom({ name: 'kube_node_role', help: 'Roles of a node' }, reading(nodes, objects.nodeRoles))
  metrics.gaugeFrom(
    { name: 'kube_node_spec_unschedulable', help: '1 when a node is cordoned, otherwise 0' },
    reading(nodes, objects.nodeUnschedulable),
  )
  metrics.gaugeFrom(
    { name: 'kube_node_status_allocatable', help: 'What pods of a node may request, in cores and bytes' },
    reading(nodes, objects.nodeAllocatable),
  )
  metrics.gaugeFrom(
    { name: 'kube_deployment_spec_replicas', help: 'Wanted replicas of a Deployment' },
    reading(deployments, objects.deploymentReplicas),
  )
  metrics.gaugeFrom(
    { name: 'kube_daemonset_status_desired_number_scheduled', help: 'Nodes that should run a DaemonSet' },
    reading(daemonSets, objects.daemonSetDesired),
  )
  metrics.gaugeFrom(
    { name: 'kube_daemonset_status_number_ready', help: 'Nodes on which a DaemonSet is ready' },
    reading(daemonSets, objects.daemonSetReady),
  )
  metrics.gaugeFrom(
    { name: 'kube_persistentvolumeclaim_info', help: 'Class and volume of a claim' },
    reading(persistentVolumeClaims, objects.claimInfo),
  )
  metrics.gaugeFrom(
    { name: 'kube_persistentvolumeclaim_labels', help: 'Labels of a claim' },
    reading(persistentVolumeClaims, objects.claimLabels),
  )
  metrics.gaugeFrom(
    { name: 'kube_persistentvolumeclaim_resource_requests_storage_bytes', help: 'Bytes that a claim requests' },
    reading(persistentVolumeClaims, objects.claimBytes),
  )
}
