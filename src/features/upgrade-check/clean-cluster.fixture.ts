import { managedByLabel, manager } from '#api/access/managed.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { featureGates, toClusterConfig } from '#features/cluster-config/index.ts'
import type { ReleaseFacts } from './release-facts.ts'
import type { UpgradeInventory } from './inventory.ts'

/** Installed and requested version. */
export const from = 'v0.1.5'
export const to = 'v0.2.0'
const key = { name: 'kubevirt', namespace: 'kubevirt' } as const

/** A release without findings. */
export function release(version: string, changes: Partial<ReleaseFacts> = {}): ReleaseFacts {
  return {
    version,
    upgradesFrom: 'v0.1.0',
    // A release that is built from this checkout publishes them, too.
    featureGates: { ...featureGates, SharedRevisions: { default: false } },
    revisionVersions: ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'],
    hyperConvergedGates: [],
    definitions: {},
    qemu: {
      version: '7.2.0',
      machineTypes: ['pc-q35-7.2', 'pc-q35-5.2', 'pc-i440fx-7.2'],
      machineAliases: { q35: 'pc-q35-7.2', pc: 'pc-i440fx-7.2' },
      cpuModels: ['Haswell', 'Skylake-Client', 'qemu64'],
    },
    ...changes,
  }
}

/** The KubeVirt object of a complete installation. */
export function kubevirt(): KubeVirt {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { ...key, uid: 'kv', generation: 1 },
    spec: { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } },
    status: { phase: 'Deployed', observedKubeVirtVersion: from, targetKubeVirtVersion: from },
  }
}

/** A ready node with a recent heartbeat. */
export function node(name: string, nowMs: number): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubevirt.io/schedulable': 'true', 'kubernetes.io/hostname': name },
      annotations: { 'kubevirt.io/heartbeat': JSON.stringify(new Date(nowMs).toISOString()) },
    },
    spec: {},
    status: {
      allocatable: { cpu: '4', memory: '4Gi', pods: '110' },
      capacity: { cpu: '4', memory: '4Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  } as Node
}

/** The node agent of a node. */
export function agent(nodeName: string, version: string = from): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `virt-handler-${nodeName}`,
      namespace: key.namespace,
      labels: { 'kubevirt.io': 'virt-handler' },
      annotations: { 'kubevirt.io/install-strategy-version': version },
    },
    spec: { nodeName, containers: [{ name: 'virt-handler', image: `steadyvm.io/virt-handler:${version}` }] },
    status: { phase: 'Running' },
  } as Pod
}

/** A component with one ready pod. */
export function deployment(name: string): Deployment {
  const labels = { 'kubevirt.io': name }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: key.namespace, labels: { [managedByLabel]: manager }, generation: 1 },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image: name }] } },
    },
    status: { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 },
  } as unknown as Deployment
}

/** A VM with a running guest that can migrate. */
export function machine(name: string, nodeName: string, namespace: string = 'default'): Machine {
  const uid = `uid-${name}`
  const labels = { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': uid, 'vm.kubevirt.io/name': name }
  const spec = { domain: { devices: {}, memory: { guest: '512Mi' } }, evictionStrategy: 'LiveMigrate' }
  const resources = { requests: { cpu: '100m', memory: '640Mi' } }
  return {
    vm: {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name, namespace },
      spec: { runStrategy: 'Always', template: { spec: structuredClone(spec) } },
    } as VirtualMachine,
    guest: {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name, namespace, uid },
      spec: structuredClone(spec),
      status: {
        phase: 'Running',
        nodeName,
        machine: { type: 'pc-q35-7.2' },
        conditions: [{ type: 'LiveMigratable', status: 'True' }],
      },
    } as VirtualMachineInstance,
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `virt-launcher-${name}-abcde`, namespace, labels },
      spec: { nodeName, containers: [{ name: 'compute', image: `steadyvm.io/virt-launcher:${from}`, resources }] },
      status: { phase: 'Running' },
    } as Pod,
    budget: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: `kubevirt-disruption-budget-${uid}`, namespace, labels: { 'kubevirt.io/created-by': uid } },
      spec: { minAvailable: 1, selector: { matchLabels: { 'kubevirt.io/created-by': uid } } },
    },
  }
}

/** Objects of one VM. */
export interface Machine {
  readonly vm: VirtualMachine
  readonly guest: VirtualMachineInstance
  readonly pod: Pod
  readonly budget: PodDisruptionBudget
}

/** Three nodes and one guest, without findings. */
export function cleanInventory(): UpgradeInventory {
  const nowMs = Date.parse('2026-11-20T12:00:00Z')
  const names = ['n1', 'n2', 'n3']
  const { vm, guest, pod, budget } = machine('web', 'n1')
  const one = kubevirt()
  return {
    to,
    releases: [release(from), release(to)],
    objects: [],
    access: [],
    patchProblems: [],
    nextDefinitions: [],
    kubevirts: [one],
    kubevirt: one,
    config: toClusterConfig(one),
    vms: [vm],
    guests: [guest],
    preferences: [],
    policies: [],
    definitions: [],
    nodes: names.map((name) => node(name, nowMs)),
    namespaces: [{ metadata: { name: 'kubevirt', labels: { 'kubernetes.io/metadata.name': 'kubevirt' } } } as Namespace],
    pods: [pod, ...names.map((name) => agent(name))],
    quotas: [],
    budgets: [budget],
    deployments: ['virt-api', 'virt-controller'].map(deployment),
    validatingWebhooks: [],
    mutatingWebhooks: [],
    endpoints: [],
    hyperconvergeds: [],
    overrides: [],
    platform: undefined,
    revisions: undefined,
    operator: { user: 'system:serviceaccount:kubevirt:virt-operator', missing: [] },
    gaps: [],
    nowMs,
  }
}
