import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { namespaces, pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { hyperConvergedKey, observeManaged, titleOf } from '#features/hyperconverged/index.ts'

/** An object that is removed in order, before the operators. */
export interface PlatformObject {
  /** `Kind/name`. */
  readonly title: string
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
  /** Position in the order: a stage is removed when the ones before are gone. */
  readonly stage: number
}

/** Controllers that remove finalizers, by their Deployments. */
export type ControllerName = 'hyperconverged-operator' | 'virt-operator' | 'cdi-operator'

/** What is installed, without the parts of the operators. */
export interface Platform {
  readonly hyperconverged: HyperConverged | undefined
  /** The CRD of HyperConverged while its operator converts the versions. */
  readonly converted: CustomResourceDefinition | undefined
  /** HyperConverged objects of another name or namespace. */
  readonly otherHyperConvergeds: readonly HyperConverged[]
  /** Objects of the components, in the order of their removal. */
  readonly components: readonly PlatformObject[]
  /** KubeVirt objects of other installations. */
  readonly otherKubeVirts: readonly KubeVirt[]
  /** Controllers that have a pod that is ready. */
  readonly running: ReadonlySet<ControllerName>
  /** True on one machine, which runs its API server as a pod and keeps virt-operator. */
  readonly isMachine: boolean
  /** True if the namespace of the operators is being deleted. */
  readonly isNamespaceEnding: boolean
}

const names: readonly ControllerName[] = ['hyperconverged-operator', 'virt-operator', 'cdi-operator']
/** Objects that other components need are removed after those. */
const lastKinds: readonly string[] = ['KubeVirt', 'CDI']

/** Reads what is installed. */
export async function observePlatform(client: Pick<Client, 'get' | 'list'>, signal: AbortSignal): Promise<Platform> {
  const { namespace, name } = hyperConvergedKey
  const listed = async <T extends KubeObject>(resource: ResourceType<T>, selection: object = {}): Promise<readonly T[]> =>
    (await found(client.list(resource, { ...selection, signal })))?.items ?? []
  const [everyHyperConverged, everyKubeVirt, managed, ownPods, place, definition, ...workloads] = await Promise.all([
    listed(hyperConvergeds),
    listed(kubeVirts),
    observeManaged(client, namespace, signal),
    listed(pods, { namespace, labelSelector: 'kubevirt.io in (virt-operator,apiserver)' }),
    found(client.get(namespaces, { name: namespace }, { signal })),
    found(client.get(customResourceDefinitions, { name: groupResourceOf(hyperConvergeds) }, { signal })),
    ...names.map((operator) => listed(deployments, { fieldSelector: `metadata.name=${operator}` })),
  ])
  const isOurs = ({ metadata }: HyperConverged): boolean => metadata.namespace === namespace && metadata.name === name
  const here = everyKubeVirt.filter(({ metadata }) => metadata.namespace === namespace)
  const available = names.filter((_, index) => workloads[index]?.some(({ status }) => (status?.availableReplicas ?? 0) > 0))
  const isMachine = ownPods.some(({ metadata }) => metadata.labels?.['kubevirt.io'] === 'apiserver')
  const operators = ownPods.filter(({ metadata }) => metadata.labels?.['kubevirt.io'] === 'virt-operator')
  const objects = [
    ...managed.filter(({ component }) => component.kind !== 'KubeVirt').map((one) => ({ ...one, title: titleOf(one) })),
    // One that nothing has configured is removed, too.
    ...here.map((object) => ({ title: `KubeVirt/${object.metadata.name ?? ''}`, resource: kubeVirts, object })),
  ]
  return {
    hyperconverged: everyHyperConverged.find(isOurs),
    converted: definition?.spec.conversion?.strategy === 'Webhook' ? definition : undefined,
    otherHyperConvergeds: everyHyperConverged.filter((one) => !isOurs(one)),
    components: objects
      .map(({ title, resource, object }) => ({ title, resource, object, stage: lastKinds.indexOf(resource.kind) }) as PlatformObject)
      .toSorted((one, other) => one.stage - other.stage),
    otherKubeVirts: everyKubeVirt.filter((one) => !here.includes(one)),
    running: new Set([...available, ...(operators.some(isReady) ? (['virt-operator'] as const) : [])]),
    isMachine,
    isNamespaceEnding: place !== undefined && isBeingDeleted(place),
  }
}

function isReady({ metadata, status }: Pod): boolean {
  return !isBeingDeleted({ metadata }) && isTrue(status?.conditions, 'Ready')
}
