import type { Pod } from '#api/core/v1/pod.ts'
import { namespaces, nodes, pods } from '#api/core/v1/resources.ts'
import { kubeVirts, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { launcherPodOf, names } from '#features/vmi/index.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { failureRateLabel } from './migration-protocol.ts'
import { imageOf, unmovableLabel } from './node-agent.ts'
import { keyOf, type Environment } from './environment.ts'

/** Size of the fleet, and its limits for concurrent operations. */
export interface Size {
  readonly nodes: number
  readonly guests: number
  readonly parallelMigrationsPerCluster: number
  readonly parallelOutboundMigrationsPerNode: number
  readonly batchEvictionSize: number
}

const administrator = 'administrator'

/** Creates the nodes and the KubeVirt object. */
export function createCluster({ api }: Environment, size: Size): void {
  for (const name of ['ns', 'kubevirt']) api.create(administrator, namespaces, { metadata: { name } })
  for (let index = 0; index < size.nodes; index++) addNode({ api } as Environment, `n${index}`)
  const { parallelMigrationsPerCluster, parallelOutboundMigrationsPerNode, batchEvictionSize } = size
  const spec = {
    imageTag: 'v1.0.0',
    imageRegistry: 'registry.test',
    configuration: { migrations: { parallelMigrationsPerCluster, parallelOutboundMigrationsPerNode }, evictionStrategy: 'LiveMigrate' },
    workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate', 'Evict'], batchEvictionSize, batchEvictionInterval: '1m' },
  }
  api.create(administrator, kubeVirts, { metadata: { namespace: 'kubevirt', name: 'kubevirt' }, spec } as KubeObject)
}

/** Creates a ready node. */
export function addNode({ api }: Pick<Environment, 'api'>, name: string): void {
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/arch': 'amd64' }
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  api.create('kubelet', nodes, { metadata: { name, labels }, spec: {}, status } as KubeObject)
}

/**
 * Creates running guests in launchers of the last release. Some cannot be migrated; some of those
 * may be stopped, because their VM restarts them.
 */
export function populate(environment: Environment, size: Size): void {
  for (let index = 0; index < size.guests; index++) addGuest(environment, index, `n${index % size.nodes}`)
}

function addGuest(environment: Environment, index: number, node: string): void {
  const { api, seeded, hypervisor } = environment
  const name = `vm${index}`
  const isStuck = seeded.chance(0.02)
  const isStoppable = !isStuck && seeded.chance(0.03)
  const labels: Record<string, string> = {
    ...(isStuck || isStoppable ? { [unmovableLabel]: 'DisksNotLiveMigratable' } : {}),
    ...(seeded.chance(0.01) ? { [failureRateLabel]: '60' } : {}),
  }
  const template = {
    domain: { cpu: { model: index % 2 === 0 ? 'Skylake' : 'EPYC' }, memory: { guest: '64Mi' }, devices: {} },
    ...(isStoppable ? { evictionStrategy: 'None' } : {}),
  }
  const vm = { metadata: { namespace: 'ns', name }, spec: { runStrategy: 'Always', template: { metadata: { labels }, spec: template } } }
  const owner = isStoppable ? api.create<KubeObject>('user', virtualMachines, vm) : undefined
  const ownerReferences =
    owner === undefined
      ? []
      : [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachine',
            name,
            uid: owner.metadata?.uid ?? '',
            controller: true,
            blockOwnerDeletion: true,
          },
        ]
  const metadata = {
    namespace: 'ns',
    name,
    labels: { ...labels, [names.nodeNameLabel]: node },
    finalizers: [names.finalizer],
    ownerReferences,
  }
  const vmi = api.create<VirtualMachineInstance>('virt-controller', virtualMachineInstances, { metadata, spec: template } as KubeObject)
  const image = imageOf('virt-launcher', 'v1.0.0')
  const wanted = launcherPodOf(vmi, { image, inContainer: false, config: defaultClusterConfig })
  const now = environment.now()
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: now }
  const pod = api.create<Pod>('virt-controller', pods, {
    ...wanted,
    spec: { ...wanted.spec, nodeName: node },
    status: { phase: 'Running', conditions: [ready] },
  } as KubeObject)
  hypervisor.launch(pod.metadata.uid ?? '', vmi.metadata.uid ?? '', node, 'running')
  const migratable = isStuck || isStoppable ? { status: 'False', reason: 'DisksNotLiveMigratable' } : { status: 'True' }
  const status = {
    phase: 'Running',
    nodeName: node,
    activePods: { [pod.metadata.uid ?? '']: node },
    launcherContainerImageVersion: image,
    machine: { type: 'pc-q35-7.2' },
    conditions: [ready, { type: 'LiveMigratable', ...migratable, lastTransitionTime: now }],
    phaseTransitionTimestamps: [
      { phase: 'Running', phaseTransitionTimestamp: new Date(environment.clock.now() - seeded.below(1e9)).toISOString() },
    ],
  }
  environment.change('virt-handler', virtualMachineInstances, keyOf(vmi), (found) => ({ ...found, status }) as typeof found)
}
