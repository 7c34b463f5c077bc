import assert from 'node:assert/strict'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defaultClusterConfig, type ClusterConfig } from '#features/cluster-config/index.ts'
import {
  expand,
  findMatchedObjects,
  type Instancetype,
  ownerReferenceTo,
  type Preference,
  referencesOf,
} from '#features/instancetype/index.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import type { Reconciler } from '#runtime/controller/reconcile.ts'
import { createRevisionUpgradeReconciler } from './reconciler.ts'
import { SimulatedApi, type Gate } from './simulated-api.fixture.ts'
import { SimulatedCache } from './simulated-cache.fixture.ts'

/** The only namespace. */
export const namespace = 'shop'

const clock = createVirtualClock()

/** API with VMs and the controller of {@link createRevisionUpgradeReconciler}. */
export class SimulatedCluster {
  readonly api: SimulatedApi = new SimulatedApi()
  readonly events: string[] = []
  readonly writes: string[] = []
  config: ClusterConfig = defaultClusterConfig

  constructor() {
    this.api.onWrite = (verb, { kind }) => void this.writes.push(`${verb} ${kind}`)
  }

  setGates(...featureGates: string[]): void {
    this.config = { ...this.config, featureGates }
  }

  /**
   * Returns a controller with caches of its own, which follow at once unless the test passes one.
   */
  upgrader(cache: SimulatedCache = new SimulatedCache(this.api), gate?: Gate): Reconciler {
    const vms = cache.lister(virtualMachines)
    const revisions = cache.lister(controllerRevisions)
    return createRevisionUpgradeReconciler({
      client: this.api.client(gate),
      vms,
      vmis: cache.lister(virtualMachineInstances),
      revisions,
      lookup: { cached: (resource, inNamespace, name) => cache.lister(resource).get(inNamespace, name) },
      isReferredElsewhere: (vm, name) =>
        [...vms.list(namespace), ...revisions.list(namespace)].some(
          (object) => !isOf(object, vm) && referencesOf(object).some(({ revision }) => revision === name),
        ),
      recorder: { event: (_, type, reason, message) => void this.events.push(`${type} ${reason} ${message}`) },
      clock,
      config: () => this.config,
    })
  }

  /** Reconciles all VMs until nothing is written. */
  async settle(gate?: Gate): Promise<void> {
    const cache = new SimulatedCache(this.api)
    const reconcile = this.upgrader(cache, gate)
    for (let before = -1; before !== this.api.changes.length;) {
      before = this.api.changes.length
      for (const { metadata } of this.api.list(virtualMachines)) {
        for (const resource of [virtualMachines, virtualMachineInstances, controllerRevisions]) cache.follow(resource)
        await reconcile({ namespace, name: metadata.name ?? '' }, { signal: new AbortController().signal })
      }
    }
  }

  addVm(name: string, spec: Partial<VirtualMachineSpec> = {}, status: VirtualMachineStatus = {}): VirtualMachine {
    const whole = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } }, ...spec }
    return this.api.put(virtualMachines, { metadata: { name, namespace }, spec: whole, status } as KubeObject)
  }

  vm(name: string): VirtualMachine {
    const vm = this.api.get(virtualMachines, namespace, name)
    assert.ok(vm, `no VM ${name}`)
    return vm
  }

  patchVm(name: string, change: { spec?: Partial<VirtualMachineSpec>; status?: VirtualMachineStatus; metadata?: object }): VirtualMachine {
    const { metadata, spec, status } = this.vm(name)
    return this.api.put(virtualMachines, {
      metadata: { ...metadata, ...change.metadata },
      spec: { ...spec, ...change.spec },
      status: { ...status, ...change.status },
    } as KubeObject)
  }

  addRevision(revision: ControllerRevision): ControllerRevision {
    return this.api.put(controllerRevisions, revision as KubeObject)
  }

  /** Starts a guest from the VM's current revisions. */
  startGuest(name: string): VirtualMachineInstance {
    const vm = this.vm(name)
    const { generation = 0, uid = '' } = vm.metadata
    const start = `revision-start-vm-${uid}-${generation}`
    const { instancetypeRef, preferenceRef } = vm.status ?? {}
    const spec = {
      ...vm.spec,
      instancetype: { ...vm.spec.instancetype, revisionName: instancetypeRef?.controllerRevisionRef?.name ?? '' },
      preference: { ...vm.spec.preference, revisionName: preferenceRef?.controllerRevisionRef?.name ?? '' },
    }
    const ownerReferences = [ownerReferenceTo(vm)]
    this.addRevision({ metadata: { name: start, namespace, ownerReferences }, data: { spec }, revision: generation })
    return this.api.put(virtualMachineInstances, {
      metadata: { name, namespace, ownerReferences },
      spec: vm.spec.template?.spec,
      status: { phase: 'Running', virtualMachineRevisionName: start },
    } as unknown as KubeObject)
  }

  vmi(name: string): VirtualMachineInstance {
    const vmi = this.api.get(virtualMachineInstances, namespace, name)
    assert.ok(vmi, `no guest ${name}`)
    return vmi
  }

  revision(name: string): ControllerRevision | undefined {
    return this.api.get(controllerRevisions, namespace, name)
  }

  revisionNames(): string[] {
    return this.api.list(controllerRevisions).map(({ metadata }) => metadata.name ?? '')
  }

  /** Returns the hardware of the VM's next start. */
  async guestOf(vm: VirtualMachine): Promise<string> {
    const inForce = await findMatchedObjects({ client: this.api.client() }, vm)
    return JSON.stringify(expand(vm, inForce.instancetype?.object, inForce.preference?.object, this.config).vmi)
  }

  /** Returns the hardware of the running guest. */
  startedAs(name: string): Promise<string> {
    const start = this.revision(this.vmi(name).status?.virtualMachineRevisionName ?? '')
    assert.ok(start, `nobody knows what ${name} was started from`)
    const { metadata, status } = this.vm(name)
    const { replaced } = status?.steadyvm ?? {}
    return this.guestOf({
      metadata,
      spec: start.data?.['spec'] as VirtualMachineSpec,
      status: replaced === undefined ? {} : { steadyvm: { replaced } },
    })
  }
}

/** Reports whether an object is the VM or owned by it. */
function isOf({ metadata }: KubeObject, vm: VirtualMachine): boolean {
  return metadata?.uid === vm.metadata.uid || metadata?.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) === true
}

/** A published instance type. */
export const small: Instancetype = {
  kind: 'VirtualMachineClusterInstancetype',
  metadata: { name: 'small', uid: '7c0e0000-0000-4000-8000-000000000000', generation: 3 },
  spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } },
}

/** A published preference. */
export const linux: Preference = {
  kind: 'VirtualMachineClusterPreference',
  metadata: { name: 'linux', uid: '11110000-0000-4000-8000-000000000000', generation: 1 },
  spec: { cpu: { preferredCPUTopology: 'preferCores' }, devices: { preferredDiskBus: 'virtio' } },
}

/** Matchers of both. */
export const named = { instancetype: { name: 'small' }, preference: { name: 'linux' } } as const

/** Returns a status with both captured. */
export function refsTo(instancetype: string, preference: string): VirtualMachineStatus {
  return {
    instancetypeRef: { ...named.instancetype, controllerRevisionRef: { name: instancetype } },
    preferenceRef: { ...named.preference, controllerRevisionRef: { name: preference } },
  }
}
