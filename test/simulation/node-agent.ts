import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { TransportError } from '#client/client.ts'
import { enterPhase, activeMigration, names, imageHash } from '#features/vmi/index.ts'
import type { VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { SimulatedClient } from './client.ts'
import { stepOf } from './migration-protocol.ts'
import { keyOf, type Environment } from './environment.ts'

/** Label of a VMI with the reason why its guest cannot be migrated. */
export const unmovableLabel = 'simulation/unmovable'

/** Returns the image of a component of a release. */
export function imageOf(component: string, version: string): string {
  return `registry.test/${component}:${version}`
}

/** A virt-handler process: it writes the same objects as the real one, and has simulated QEMUs. */
export class NodeAgent {
  readonly pod: Pod
  readonly node: string
  readonly client: SimulatedClient
  readonly environment: Environment
  readonly version: string
  readonly #waiting = new Set<string>()
  readonly #working = new Set<string>()
  #isStopped = false

  constructor(environment: Environment, pod: Pod, version: string) {
    this.environment = environment
    this.pod = pod
    this.node = pod.spec.nodeName ?? ''
    this.version = version
    this.client = environment.connect(`virt-handler/${this.node}`)
    environment.run(() => this.#beat())
    for (const vmi of environment.api.store.all(virtualMachineInstances)) if (this.#concerns(vmi)) this.#wake(keyOf(vmi), 500)
  }

  stop(): void {
    this.#isStopped = true
    this.client.kill()
  }

  /** Handles a change of a VMI that names this node. */
  see(vmi: VirtualMachineInstance): void {
    if (this.#concerns(vmi)) this.#wake(keyOf(vmi), 40)
  }

  /** Handles the deletion of a pod of this node. */
  seeEnd({ metadata }: Pod): void {
    const name = metadata.annotations?.[names.domainAnnotation]
    if (name !== undefined) this.#wake({ namespace: metadata.namespace ?? '', name }, 40)
  }

  /** Reports whether this node has work for the VMI; other VMIs are not reconciled. */
  #concerns(vmi: VirtualMachineInstance): boolean {
    const { nodeName, phase } = vmi.status ?? {}
    const state = activeMigration(vmi)
    if (state !== undefined && (state.targetNode === this.node || state.sourceNode === this.node)) return true
    if (nodeName !== this.node) return false
    return phase === 'Scheduled' || (phase === 'Running' && this.environment.hypervisor.ofGuest(vmi.metadata.uid ?? '').length === 0)
  }

  #wake(key: { readonly namespace: string; readonly name: string }, withinMs: number): void {
    const path = `${key.namespace}/${key.name}`
    if (this.#waiting.has(path)) return
    this.#waiting.add(path)
    this.environment.later(5, withinMs, async () => {
      this.#waiting.delete(path)
      if (this.#isStopped) return
      // What has happened meanwhile is looked at afterwards.
      if (this.#working.has(path)) return this.#wake(key, withinMs)
      this.#working.add(path)
      const again = await this.#look(key)
      this.#working.delete(path)
      if (again !== undefined && !this.#isStopped) this.#wake(key, Math.max(again, 5))
    })
  }

  /** Runs a step for a guest. Returns the milliseconds until the next step. */
  async #look(key: { readonly namespace: string; readonly name: string }): Promise<number | undefined> {
    const vmi = this.environment.api.store.get(virtualMachineInstances, key)
    if (vmi === undefined) return undefined
    try {
      const moving = await stepOf(this, vmi)
      return moving === 'none' ? await this.#tend(vmi) : moving
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return 20
      if (error instanceof TransportError && this.#isStopped) return undefined
      throw error
    }
  }

  async #tend(vmi: VirtualMachineInstance): Promise<undefined> {
    const { status = {}, metadata } = vmi
    if (status.nodeName !== this.node || metadata.deletionTimestamp !== undefined) return
    const podUid = Object.entries(status.activePods ?? {}).find(([, node]) => node === this.node)?.[0] ?? ''
    const { hypervisor } = this.environment
    if (status.phase === 'Scheduled') {
      if (!hypervisor.wasLaunched(podUid)) hypervisor.launch(podUid, metadata.uid ?? '', this.node, 'running')
      await this.#patch(vmi, { ...enterPhase(status, 'Running', this.environment.now()), ...this.#livingStatus(vmi) })
    } else if (status.phase === 'Running' && hypervisor.get(podUid) === undefined) {
      await this.#patch(vmi, enterPhase(status, 'Failed', this.environment.now()))
    }
  }

  #livingStatus({ metadata, status }: VirtualMachineInstance): object {
    const reason = metadata.labels?.[unmovableLabel]
    const now = this.environment.now()
    const migratable: VirtualMachineInstanceCondition = {
      type: 'LiveMigratable',
      status: reason === undefined ? 'True' : 'False',
      lastProbeTime: null,
      ...(reason === undefined ? {} : { reason, message: 'it is simulated to be so' }),
    }
    const ready: VirtualMachineInstanceCondition = { type: 'Ready', status: 'True', lastProbeTime: null }
    const conditions = setCondition(setCondition(status?.conditions, ready, now), migratable, now)
    return { conditions, machine: { type: 'pc-q35-7.2' } }
  }

  async #patch({ metadata }: VirtualMachineInstance, status: object): Promise<void> {
    const { resourceVersion } = metadata
    await this.client.patch(virtualMachineInstances, keyOf({ metadata }), {
      type: 'merge',
      body: { metadata: { resourceVersion }, status },
    })
  }

  async #beat(): Promise<void> {
    if (this.#isStopped) return
    const image = imageOf('virt-launcher', this.version)
    const labels = { [names.schedulableLabel]: 'true', [names.releaseLabel]: imageHash(image) }
    const annotations = { 'kubevirt.io/heartbeat': JSON.stringify(this.environment.now()), [names.launcherImageAnnotation]: image }
    await this.client
      .patch(nodes, { name: this.node }, { type: 'merge', body: { metadata: { labels, annotations } } })
      .catch((error: unknown) => {
        if (!(error instanceof TransportError) && !isNotFound(error)) throw error
      })
    this.environment.later(60_000, 60_000, () => this.#beat())
  }

  /** Returns a launcher on this node by name. */
  launcher(namespace: string, name: string | undefined): Pod | undefined {
    const pod = name === undefined ? undefined : this.environment.api.store.get(pods, { namespace, name })
    return pod?.spec.nodeName === this.node ? pod : undefined
  }
}
