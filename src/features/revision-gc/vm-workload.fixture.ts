import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { refreshAnnotation } from '#features/instancetype/index.ts'
import type { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'

/** The only namespace. */
export const namespace = 'shop'
/** The VMs that there may be. */
export const vmNames = ['a', 'b', 'c', 'd'] as const
const typeNames = ['small', 'large'] as const

/** Returns the key of an object. */
export function at(name: string): { namespace: string; name: string } {
  return { namespace, name }
}

/** Users who change VMs at random. */
export class VmWorkload {
  readonly #api: SimulatedApi
  readonly #random: SeededRandom

  constructor(api: SimulatedApi, random: SeededRandom) {
    this.#api = api
    this.#random = random
    for (const name of typeNames) this.#setType(name)
    api.put(virtualMachinePreferences, { metadata: at('linux'), spec: {} } as KubeObject)
  }

  act(): void {
    const name = this.#random.pick(vmNames)
    const vm = this.#api.get(virtualMachines, namespace, name)
    const dice = this.#random.below(10)
    if (dice < 2) return this.#random.chance(0.2) ? this.#replaceType() : this.#setType(this.#random.pick(typeNames))
    if (vm === undefined) return this.create(name, this.#random.chance(0.5) ? 'Always' : 'Halted')
    if (dice === 2) return this.#remove(virtualMachines, name)
    if (dice < 5) return this.#edit(vm, { metadata: { annotations: { [refreshAnnotation]: String(this.#random.below(1_000)) } } })
    if (dice < 8) return this.#edit(vm, { spec: { instancetype: this.#matcher() } })
    // Locked VMs cannot be started or stopped.
    const { snapshotInProgress = '', restoreInProgress = '' } = vm.status ?? {}
    if (dice < 9 && snapshotInProgress + restoreInProgress !== '') return
    if (dice < 9) return this.#edit(vm, { spec: { runStrategy: vm.spec.runStrategy === 'Always' ? 'Halted' : 'Always' } })
    return this.#goBack(vm)
  }

  /** To something that the VM remembers. */
  #goBack(vm: VirtualMachine): void {
    const history = vm.status?.steadyvm?.instancetype?.history ?? []
    const revisionName = history[this.#random.below(history.length)] ?? ''
    const data = this.#api.get(controllerRevisions, namespace, revisionName)?.data as { metadata?: { name?: string } } | undefined
    const name = data?.metadata?.name
    if (name !== undefined) this.#edit(vm, { spec: { instancetype: { ...this.#matcher(), name, revisionName } } })
  }

  #matcher(): object {
    return { name: this.#random.pick(typeNames), kind: 'VirtualMachineInstancetype' }
  }

  /** Creates a VM. */
  create(name: string, runStrategy: 'Always' | 'Halted'): void {
    const annotations = { 'steadyvm.io/revision-history-limit': String(this.#random.below(3)) }
    this.#api.put(virtualMachines, {
      metadata: { ...at(name), annotations },
      spec: {
        runStrategy,
        instancetype: this.#matcher(),
        preference: { name: 'linux', kind: 'VirtualMachinePreference' },
        template: { spec: { domain: { devices: {} } } },
      },
    } as KubeObject)
  }

  #edit(vm: VirtualMachine, change: { readonly spec?: object; readonly metadata?: { readonly annotations: object } }): void {
    const annotations = { ...vm.metadata.annotations, ...change.metadata?.annotations }
    this.#api.put(virtualMachines, { ...vm, metadata: { ...vm.metadata, annotations }, spec: { ...vm.spec, ...change.spec } } as KubeObject)
  }

  /** Few sizes, so that each recurs. */
  #setType(name: string): void {
    const old = this.#api.get(virtualMachineInstancetypes, namespace, name)
    const spec = { cpu: { guest: 1 + this.#random.below(3) }, memory: { guest: '1Gi' } }
    this.#api.put(virtualMachineInstancetypes, { ...old, metadata: { ...old?.metadata, ...at(name) }, spec } as KubeObject)
  }

  /** Another one of the name. */
  #replaceType(): void {
    const name = this.#random.pick(typeNames)
    this.#remove(virtualMachineInstancetypes, name)
    this.#setType(name)
  }

  #remove(resource: ResourceType<KubeObject>, name: string): void {
    if (this.#api.get(resource, namespace, name) !== undefined) this.#api.remove(resource, at(name))
  }
}
