import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { startTestCluster, type TestCluster } from '#features/cluster.fixture.ts'
import { defaultClusterConfig, type ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { createVirtualMachineReconciler } from './reconciler.ts'

/**
 * A namespace with a VM called `web`. Tests run each pass by hand, with fresh caches, and decide
 * what happens between two passes.
 */
export class VmFixture implements AsyncDisposable {
  readonly client: Client
  readonly namespace: string
  readonly events: string[] = []
  readonly #cluster: TestCluster
  config: ClusterConfig = defaultClusterConfig

  constructor(cluster: TestCluster, namespace: string) {
    this.#cluster = cluster
    this.client = cluster.client
    this.namespace = namespace
  }

  /** Runs one pass over the VM, with a client wrapped by `through`. */
  async reconcile(through: (client: Client) => Client = (client) => client): Promise<void> {
    const client = through(this.client)
    const [vms, vmis, revisions] = [
      await this.#lister(virtualMachines),
      await this.#lister(virtualMachineInstances),
      await this.#lister(controllerRevisions),
    ]
    const types = new Map<string, Lister<KubeObject>>()
    for (const resource of [
      virtualMachineInstancetypes,
      virtualMachineClusterInstancetypes,
      virtualMachinePreferences,
      virtualMachineClusterPreferences,
    ] as readonly ResourceType<KubeObject>[]) {
      types.set(resource.kind, await this.#lister(resource))
    }
    const cached = <T extends KubeObject>(resource: ResourceType<T>, namespace: string, name: string): T | undefined => {
      const lister = resource.kind === 'ControllerRevision' ? revisions : types.get(resource.kind)
      return lister?.get(namespace, name) as T | undefined
    }
    const reconcile = createVirtualMachineReconciler({
      client,
      vms,
      vmis,
      dataVolumes: { get: () => undefined },
      claims: { get: () => undefined },
      revisions,
      lookup: { client, cached },
      recorder: { event: (_, type, reason, message) => void this.events.push(`${type} ${reason} ${message}`) },
      clock: systemClock,
      random: () => 0,
      config: () => this.config,
    })
    await reconcile({ namespace: this.namespace, name: 'web' }, { signal: new AbortController().signal })
  }

  async #lister<T extends KubeObject>(resource: ResourceType<T>): Promise<Lister<T>> {
    const { items } = await this.client.list(resource, resource.namespaced ? { namespace: this.namespace } : {})
    const objects = items.map((item) => deepFreeze({ ...item, apiVersion: `${resource.group}/${resource.version}`, kind: resource.kind }))
    return {
      get: (_, name) => objects.find(({ metadata }) => metadata?.name === name),
      list: () => objects,
      byIndex: (_, uid) => objects.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true),
    }
  }

  /** Creates the instance type or replaces its spec. */
  async setInstancetype(name: string, spec: VirtualMachineInstancetypeSpec): Promise<void> {
    await this.#apply(virtualMachineInstancetypes, name, spec)
  }

  /** Creates the preference or replaces its spec. */
  async setPreference(name: string, spec: VirtualMachinePreferenceSpec): Promise<void> {
    await this.#apply(virtualMachinePreferences, name, spec)
  }

  async #apply<T extends KubeObject>(resource: ResourceType<T>, name: string, spec: object): Promise<void> {
    const { namespace } = this
    const isThere = (await this.client.list(resource, { namespace })).items.some(({ metadata }) => metadata?.name === name)
    if (!isThere) await this.client.create(resource, { metadata: { name, namespace }, spec } as KubeObject)
    else
      await this.client.patch(resource, { namespace, name }, { type: 'json', operations: [{ op: 'replace', path: '/spec', value: spec }] })
  }

  /** Creates the VM. Names `small` and `linux` by default. */
  async createVm(spec: Partial<VirtualMachineSpec> = {}): Promise<VirtualMachine> {
    const whole = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } }, ...spec }
    return this.client.create(virtualMachines, { metadata: { name: 'web', namespace: this.namespace }, spec: whole } as VirtualMachine)
  }

  /** Patches the VM as its owner. */
  patchVm(body: { readonly spec?: object; readonly metadata?: object }): Promise<VirtualMachine> {
    return this.client.patch(virtualMachines, this.#key, { type: 'merge', body })
  }

  vm(): Promise<VirtualMachine> {
    return this.client.get(virtualMachines, this.#key)
  }

  vmi(): Promise<VirtualMachineInstance> {
    return this.client.get(virtualMachineInstances, this.#key)
  }

  /** Reports the guest as running, as a node agent would. */
  async runGuest(status: Partial<VirtualMachineInstanceStatus> = {}): Promise<void> {
    const { spec } = await this.vmi()
    const running: VirtualMachineInstanceStatus = {
      phase: 'Running',
      conditions: [{ type: 'LiveMigratable', status: 'True' }],
      memory: { guestAtBoot: spec.domain.memory?.guest ?? '0' },
      ...status,
    }
    await this.client.patch(virtualMachineInstances, this.#key, { type: 'merge', body: { status: running } })
  }

  /** Removes the guest's VMI. */
  async endGuest(): Promise<void> {
    await this.client.patch(virtualMachineInstances, this.#key, { type: 'merge', body: { metadata: { finalizers: null } } })
    const { items } = await this.client.list(virtualMachineInstances, { namespace: this.namespace })
    if (items.length > 0) await this.client.delete(virtualMachineInstances, this.#key)
  }

  /** Names of the captured revisions. */
  async revisions(): Promise<string[]> {
    const { items } = await this.client.list(controllerRevisions, { namespace: this.namespace })
    return items.map(({ metadata }) => metadata.name ?? '').filter((name) => !name.startsWith('revision-start-vm-'))
  }

  get #key(): { namespace: string; name: string } {
    return { namespace: this.namespace, name: 'web' }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]()
  }
}

/**
 * Starts an API server with an instance type `small` of two CPUs and 1Gi, and a preference `linux`.
 */
export async function startVmFixture(): Promise<VmFixture> {
  const fixture = new VmFixture(await startTestCluster(), 'default')
  await fixture.setInstancetype('small', { cpu: { guest: 2 }, memory: { guest: '1Gi' } })
  await fixture.setPreference('linux', {})
  return fixture
}

/** Returns a fixture in its own namespace of a shared API server. */
export async function vmFixtureIn(cluster: TestCluster, namespace: string): Promise<VmFixture> {
  await cluster.client.create(namespaces, { metadata: { name: namespace } })
  return new VmFixture(cluster, namespace)
}

/** Matchers for `small` and `linux`. */
export const named = {
  instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' },
  preference: { name: 'linux', kind: 'VirtualMachinePreference' },
} as const
