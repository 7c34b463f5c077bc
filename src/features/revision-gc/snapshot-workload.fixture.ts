import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { at, namespace, vmNames } from './vm-workload.fixture.ts'

const snapshotNames = ['snapshot-0', 'snapshot-1'] as const
const restoreNames = ['restore-0', 'restore-1'] as const
const cloneNames = ['clone-0', 'clone-1'] as const
const policies = ['StopTarget', 'WaitEventually', 'WaitGracePeriod', 'FailImmediate'] as const

/** Users who create, delete, restore and clone snapshots at any time. */
export class SnapshotWorkload {
  readonly #api: SimulatedApi
  readonly #random: SeededRandom

  constructor(api: SimulatedApi, random: SeededRandom) {
    this.#api = api
    this.#random = random
  }

  act(): void {
    const random = this.#random
    const snapshot = random.pick(snapshotNames)
    const taken = this.#api.get(virtualMachineSnapshots, namespace, snapshot)
    switch (random.below(8)) {
      case 0:
      case 1:
      case 2:
        return this.#make(virtualMachineSnapshots, snapshot, {
          source: machine(random.pick(vmNames)),
          failureDeadline: random.pick(['0s', '5m', '1h']),
          ...(random.chance(0.3) ? { deletionPolicy: 'Retain' } : {}),
        })
      case 3:
      case 4:
        return this.#restore(snapshot, taken)
      case 5: {
        const ofSnapshot = { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: snapshot }
        const source = random.chance(0.3) ? ofSnapshot : machine(random.pick(vmNames))
        return this.#make(virtualMachineClones, random.pick(cloneNames), { source, target: machine(random.pick(vmNames)) })
      }
      case 6:
        return random.chance(0.5)
          ? this.#remove(virtualMachineRestores, random.pick(restoreNames))
          : this.#remove(virtualMachineClones, random.pick(cloneNames))
      default:
        this.#letGo(snapshot)
        // Another user has a stale view.
        if (random.chance(0.3)) this.#restore(snapshot, taken)
    }
  }

  #restore(snapshot: string, taken: VirtualMachineSnapshot | undefined): void {
    // Most restores target the source.
    const target = this.#random.chance(0.7) ? taken?.spec.source.name : undefined
    this.#make(virtualMachineRestores, this.#random.pick(restoreNames), {
      target: machine(target ?? this.#random.pick(vmNames)),
      virtualMachineSnapshotName: snapshot,
      targetReadinessPolicy: this.#random.pick(policies),
    })
  }

  /** A snapshot, or the content that has outlived one. */
  #letGo(snapshot: string): void {
    const retained = this.#api
      .list(virtualMachineSnapshotContents)
      .filter(({ spec }) => this.#api.get(virtualMachineSnapshots, namespace, spec.virtualMachineSnapshotName ?? '') === undefined)
    const [content] = retained
    if (content === undefined || this.#random.chance(0.5)) return this.#remove(virtualMachineSnapshots, snapshot)
    // Removes the finalizer of the deleted snapshot controller.
    this.#api.put(virtualMachineSnapshotContents, { ...content, metadata: { ...content.metadata, finalizers: [] } } as KubeObject)
    this.#remove(virtualMachineSnapshotContents, content.metadata.name ?? '')
  }

  #make(resource: ResourceType<KubeObject>, name: string, spec: object): void {
    if (this.#api.get(resource, namespace, name) !== undefined) return
    if (this.#api.list(virtualMachines).length > 0) this.#api.put(resource, { metadata: at(name), spec } as KubeObject)
  }

  #remove(resource: ResourceType<KubeObject>, name: string): void {
    if (this.#api.get(resource, namespace, name) !== undefined) this.#api.remove(resource, at(name))
  }
}

function machine(name: string): object {
  return { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name }
}
