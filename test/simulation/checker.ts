import assert from 'node:assert/strict'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { names } from '#features/vmi/index.ts'
import type { Size } from './fleet.ts'
import type { Qemu } from './hypervisor.ts'
import { versionOf, type Kubelets } from './kubelets.ts'
import type { Commit } from './store.ts'
import { keyOf, type Environment } from './environment.ts'

/** Interval between batches of evictions for updates, as configured by the administrator. */
const batchIntervalMs = 60_000

interface Moving {
  readonly guest: string
  readonly source: string
}

/** Asserts the limits at every write and at every start of a QEMU. */
export class Checker {
  /** Highest observed concurrency. */
  readonly most = { moving: 0, leavingOneNode: 0, streams: 0 }
  readonly #environment: Environment
  readonly #size: Size
  readonly #kubelets: Kubelets
  readonly #moving = new Map<string, Moving>()
  readonly #evictions: number[] = []
  readonly #evicted = new Set<string>()

  constructor(environment: Environment, size: Size, kubelets: Kubelets) {
    this.#environment = environment
    this.#size = size
    this.#kubelets = kubelets
    const noting =
      <A extends readonly unknown[]>(check: (...args: A) => void) =>
      (...args: A): void => {
        try {
          check(...args)
        } catch (error) {
          // Thrown here, the error would reach the writer, which retries errors.
          environment.fail(error)
        }
      }
    environment.api.store.listeners.add(noting((commit: Commit) => this.#see(commit)))
    environment.api.onEvicted = noting((pod: Pod, actor: string) => this.#seeEviction(pod, actor))
    environment.hypervisor.onStream = noting(() => this.#seeStream())
    environment.hypervisor.onLost = noting((qemu: Qemu, why: string) => this.#seeLoss(qemu, why))
  }

  #see({ resource, before, after }: Commit): void {
    switch (resource.plural) {
      case pods.plural:
        return before === undefined ? this.#seeTarget(after as Pod) : undefined
      case virtualMachineInstanceMigrations.plural:
        return this.#seeMigration((after ?? before) as VirtualMachineInstanceMigration, after === undefined)
      case virtualMachineInstances.plural:
        return after === undefined
          ? undefined
          : this.#seeGuest(before as VirtualMachineInstance | undefined, after as VirtualMachineInstance)
    }
  }

  /** Counts a migration in the limits from the creation of its target pod on. */
  #seeTarget({ metadata }: Pod): void {
    const job = metadata.labels?.[names.migrationJobLabel]
    if (job === undefined) return
    const guest = metadata.labels?.[names.createdByLabel] ?? ''
    const [running] = this.#environment.hypervisor.ofGuest(guest).filter(({ state }) => state === 'running')
    const all = [...this.#moving.values()]
    assert.ok(!all.some((other) => other.guest === guest), `${metadata.name}: its guest moves already`)
    // One whose node has died leaves that node, too.
    const vmi = this.#environment.api.store.get(virtualMachineInstances, {
      namespace: metadata.namespace ?? '',
      name: metadata.annotations?.[names.domainAnnotation] ?? '',
    })
    const moving = { guest, source: running?.node ?? vmi?.status?.nodeName ?? '' }
    this.#moving.set(job, moving)
    const leaving = all.filter(({ source }) => source === moving.source).length + 1
    this.most.moving = Math.max(this.most.moving, this.#moving.size)
    this.most.leavingOneNode = Math.max(this.most.leavingOneNode, leaving)
    assert.ok(this.#moving.size <= this.#size.parallelMigrationsPerCluster, 'too many move in the cluster')
    assert.ok(leaving <= this.#size.parallelOutboundMigrationsPerNode, `too many leave ${moving.source}`)
  }

  #seeMigration({ metadata, status }: VirtualMachineInstanceMigration, isGone: boolean): void {
    if (isGone || status?.phase === 'Succeeded' || status?.phase === 'Failed') this.#moving.delete(metadata.uid ?? '')
  }

  /** Asserts that guests migrate only to compatible agents, and not to older releases. */
  #seeGuest(before: VirtualMachineInstance | undefined, { metadata, status }: VirtualMachineInstance): void {
    const { migrationUid, targetNode = '', targetPod } = status?.migrationState ?? {}
    if (migrationUid === undefined || before?.status?.migrationState?.migrationUid === migrationUid) return
    const target = this.#environment.api.store.get(pods, { namespace: metadata.namespace ?? '', name: targetPod ?? '' })
    assert.ok(target !== undefined, `${metadata.name} is handed over to a pod that is not there`)
    const agent = this.#kubelets.agents.get(targetNode)
    const [launcher, source] = [versionOf(target), status?.launcherContainerImageVersion?.split(':').at(-1) ?? '']
    assert.ok(launcher >= source, `${metadata.name} goes back from ${source} to ${launcher}`)
    assert.ok(
      agent === undefined || agent.version >= launcher,
      `${metadata.name} in ${launcher} is handed over to an agent of ${agent?.version}`,
    )
  }

  #seeEviction(pod: Pod, actor: string): void {
    const { hypervisor, clock, api } = this.#environment
    this.#evicted.add(pod.metadata.uid ?? '')
    const vmi = api.store.get(virtualMachineInstances, {
      ...keyOf(pod),
      name: pod.metadata.annotations?.[names.domainAnnotation] ?? '',
    })
    const runs = hypervisor.get(pod.metadata.uid ?? '')?.state === 'running'
    assert.ok(!runs || vmi?.spec.evictionStrategy === 'None', `${vmi?.metadata.name} must not be stopped`)
    if (actor !== 'virt-controller') return
    const now = clock.now()
    this.#evictions.push(now)
    const recent = this.#evictions.filter((at) => at > now - batchIntervalMs)
    // The time of a batch is written in whole seconds, before its evictions.
    const allowed = this.#size.batchEvictionSize * (recent[0] !== undefined && now - recent[0] > batchIntervalMs - 3_000 ? 2 : 1)
    assert.ok(recent.length <= allowed, 'too many are evicted at a time')
  }

  #seeStream(): void {
    const streaming = this.#environment.hypervisor.streaming()
    this.most.streams = Math.max(this.most.streams, streaming.length)
    assert.ok(streaming.length <= this.#size.parallelMigrationsPerCluster, 'too many streams flow in the cluster')
    for (const [node, leaving] of Map.groupBy(streaming, ({ node: source }) => source)) {
      assert.ok(leaving.length <= this.#size.parallelOutboundMigrationsPerNode, `too many streams flow from ${node}`)
    }
    assert.equal(new Set(streaming.map(({ guest }) => guest)).size, streaming.length, 'a guest moves twice')
  }

  /** Asserts that a guest ended because of its node, of its owner, or of a permitted eviction. */
  #seeLoss({ podUid, guest, node }: Qemu, why: string): void {
    if (this.#environment.poweredOff.has(node) || this.#evicted.has(podUid)) return
    const [vmi] = [...this.#environment.api.store.all(virtualMachineInstances)].filter(({ metadata }) => metadata.uid === guest)
    if (vmi === undefined || vmi.metadata.deletionTimestamp !== undefined) return
    if (vmi.status?.phase === 'Failed' || vmi.status?.phase === 'Succeeded') return
    assert.fail(`${vmi.metadata.name} is lost on ${node}: ${why}`)
  }
}
