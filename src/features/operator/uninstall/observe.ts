import { managedSelector } from '#api/access/managed.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { configMaps, pods, secrets, services } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { hashAnnotation } from '../install/crds.ts'
import { prometheusRules, serviceMonitors } from '../monitoring/objects.ts'
import type { UnbundledObject } from '../install/unbundled-objects.ts'
import { componentNames } from '../manifests/install-strategy.ts'
import type { DefinitionState, Piece, UninstallObservation } from './decide.ts'
import { uninstallNames } from './names.ts'
import { marksOf } from './node-marks.ts'

/** Clients and caches that the observation reads. */
export interface UninstallSources {
  readonly client: Pick<Client, 'get' | 'list'>
  readonly deployments: Pick<Lister<Deployment>, 'get'>
  readonly nodes: Pick<Lister<Node>, 'list' | 'get'>
  readonly namespace: string
  /** Objects that virt-operator has applied because OLM could not. */
  readonly unbundled: readonly UnbundledObject[]
}

/** Milliseconds that webhooks may validate the last changes before they count as unreachable. */
const webhookPatienceMs = 2 * 60_000
/** The API server keeps a CRD with this finalizer until all of its objects are gone. */
const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'
/**
 * CRDs that stay: a KubeVirt object requests the system again, and storage kinds may belong to
 * another provider. Their objects are user data.
 */
const keptKinds: readonly string[] = ['kubevirts.kubevirt.io']
const keptGroups: readonly string[] = ['cdi.kubevirt.io', 'snapshot.storage.k8s.io']

/** Reads what is left from the API: objects that a cache has not seen yet would be left behind. */
export async function observeUninstall(
  sources: UninstallSources,
  kubevirt: KubeVirt,
  now: number,
  signal: AbortSignal,
): Promise<UninstallObservation> {
  const { client, namespace, nodes } = sources
  const find = async (
    resource: ResourceType<KubeObject>,
    labelSelector: string,
    more: { namespace?: string } = {},
  ): Promise<readonly Piece[]> => {
    const { items } = await client.list(resource, { ...more, labelSelector, signal })
    return items.map((object) => ({ resource, object }))
  }
  const findNamed = async ({ resource, object: { metadata } }: UnbundledObject): Promise<readonly Piece[]> => {
    const key = { name: metadata?.name ?? '', ...(metadata?.namespace === undefined ? {} : { namespace: metadata.namespace }) }
    const object = await found(client.get(resource, key, { signal }))
    return object === undefined ? [] : [{ resource, object }]
  }
  /** Where the Prometheus operator is not installed, its kinds are not found. */
  const findMonitoring = async (resource: ResourceType<KubeObject>): Promise<readonly Piece[]> =>
    (await found(find(resource, managedSelector))) ?? []
  const all = async (looks: readonly Promise<readonly Piece[]>[]): Promise<readonly Piece[]> => (await Promise.all(looks)).flat()
  const findWebhooks = (): Promise<readonly Piece[]> =>
    all([mutatingWebhookConfigurations, validatingWebhookConfigurations].map((kind) => find(kind, `kubevirt.io=${componentNames.api}`)))
  const { items } = await client.list(customResourceDefinitions, { labelSelector: 'kubevirt.io', signal })
  const definitions = definitionsToRemove(items)
  if (definitions.length > 0) {
    const isAdmissionDead = isDead(sources, kubevirt, now)
    return { definitions, webhooks: isAdmissionDead ? await findWebhooks() : [], isAdmissionDead, layers: [], nodes: [] }
  }
  const here = { namespace }
  const layer = async (
    name: string,
    looks: readonly Promise<readonly Piece[]>[],
    ending: readonly string[] = [],
  ): Promise<UninstallObservation['layers'][number]> => {
    return { name, pieces: await all(looks), pods: ending }
  }
  const { items: running } = await client.list(pods, { ...here, labelSelector: managedSelector, signal })
  const layers = await Promise.all([
    layer(
      'the components',
      [find(daemonSets, managedSelector, here), find(deployments, managedSelector, here)],
      podsToAwait(running, nodes),
    ),
    // After their Deployments: the budget controller would create them again.
    layer('their budgets', [find(podDisruptionBudgets, managedSelector, here)]),
    layer('webhooks', [findWebhooks()]),
    layer('APIs', [find(apiServices, 'kubevirt.io=virt-api-aggregator')]),
    layer('services', [find(services, managedSelector, here)]),
    layer('rules for Prometheus', [findMonitoring(serviceMonitors), findMonitoring(prometheusRules)]),
    layer('policies', sources.unbundled.map(findNamed)),
    layer('rights', [
      find(clusterRoleBindings, managedSelector),
      find(clusterRoles, managedSelector),
      find(roleBindings, managedSelector, here),
      find(roles, managedSelector, here),
    ]),
    layer('certificates', [find(secrets, managedSelector, here), find(configMaps, managedSelector, here)]),
  ])
  return { definitions, webhooks: [], isAdmissionDead: false, layers, nodes: nodes.list().filter((node) => marksOf(node) !== undefined) }
}

/**
 * Returns the CRDs that the operator installed, without those that stay and those that only others
 * hold. Pure.
 */
export function definitionsToRemove(all: readonly CustomResourceDefinition[]): readonly DefinitionState[] {
  return all
    .filter(({ metadata, spec }) => {
      const isOurs = metadata.annotations?.[hashAnnotation] !== undefined
      return isOurs && !keptKinds.includes(metadata.name ?? '') && !keptGroups.includes(spec.group)
    })
    .map((object) => {
      const { metadata, status } = object
      const { name = '', finalizers = [] } = metadata
      const isDeleting = isBeingDeleted(object)
      const isTold = findCondition(status?.conditions, 'Terminating')?.reason === 'InstanceDeletionCompleted'
      return {
        resource: customResourceDefinitions,
        object,
        name,
        isHeld: finalizers.includes(uninstallNames.definitionFinalizer),
        isDeleting,
        // A CRD that was never served has no objects, and no such condition.
        isEmpty: isDeleting && (isTold || !finalizers.includes(cleanupFinalizer)),
      }
    })
    .filter(({ isHeld, isDeleting, isEmpty }) => isHeld || !isDeleting || !isEmpty)
}

/** Pods on nodes that are not ready are not waited for: the end of such a pod is never reported. */
function podsToAwait(running: readonly Pod[], nodes: Pick<Lister<Node>, 'get'>): readonly string[] {
  return running
    .filter(({ spec, status }) => {
      const isOver = isPodTerminal({ status })
      return !isOver && isTrue(nodes.get('', spec.nodeName ?? '')?.status?.conditions, 'Ready')
    })
    .map(({ metadata }) => metadata.name ?? '')
}

function isDead({ deployments: workloads, namespace }: UninstallSources, { metadata }: KubeVirt, now: number): boolean {
  const available = workloads.get(namespace, componentNames.api)?.status?.availableReplicas ?? 0
  return available === 0 || now >= Date.parse(metadata.deletionTimestamp ?? '') + webhookPatienceMs
}
