import { leases } from '#api/coordination/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { launcherSelector, names } from '#features/vmi/index.ts'

const now = (): string => new Date().toISOString().replace(/\.\d{3}Z$/, 'Z')

/**
 * Scheduler, kubelets and node agents that are simulated at each call of {@link FakeNodes.step}:
 * pods become ready, guests run, and migrations complete. Guests that are lost are recorded in
 * {@link FakeNodes.lost}.
 */
export class FakeNodes {
  /** Names of VMIs whose pod was deleted while the guest ran. */
  readonly lost = new Set<string>()
  readonly #client: Client
  readonly #names: readonly string[]

  private constructor(client: Client, nodeNames: readonly string[]) {
    this.#client = client
    this.#names = nodeNames
  }

  static async create(client: Client, nodeNames: readonly string[], labels: Readonly<Record<string, string>> = {}): Promise<FakeNodes> {
    for (const name of nodeNames) {
      await client.create<Node>(nodes, { metadata: { name, labels: { [names.schedulableLabel]: 'true', ...labels } }, spec: {} } as Node)
      // The lease is never renewed, and must not expire during the test.
      const spec = { holderIdentity: name, leaseDurationSeconds: 3600, renewTime: new Date().toISOString().replace('Z', '000Z') }
      await client.create(leases, { metadata: { name, namespace: 'kube-node-lease' }, spec })
      const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
      await client.patch(nodes, { name }, { type: 'merge', body: { status: ready } }, { subresource: 'status' })
    }
    return new FakeNodes(client, nodeNames)
  }

  /** Cordons or uncordons a node. */
  async cordon(name: string, isClosed: boolean): Promise<void> {
    await this.#client.patch(nodes, { name }, { type: 'merge', body: { spec: { unschedulable: isClosed } } })
  }

  /** Advances every component by one step. */
  async step(): Promise<void> {
    const { items: all } = await this.#client.list(nodes)
    const { items: launchers } = await this.#client.list(pods, { labelSelector: launcherSelector })
    const { items: guests } = await this.#client.list(virtualMachineInstances)
    for (const pod of launchers) await this.#runPod(pod, launchers, all, guests)
    for (const vmi of guests) await this.#runGuest(vmi, launchers)
  }

  async #runPod(pod: Pod, launchers: readonly Pod[], all: readonly Node[], guests: readonly VirtualMachineInstance[]): Promise<void> {
    const key = keyOf(pod)
    if (pod.metadata.deletionTimestamp !== undefined) {
      const owner = guests.find(({ metadata }) => metadata.uid === pod.metadata.labels?.[names.createdByLabel])
      const isHome = owner?.status?.activePods?.[pod.metadata.uid ?? ''] !== undefined && owner.status.nodeName === pod.spec.nodeName
      if (owner !== undefined && isHome && owner.status?.phase === 'Running') {
        this.lost.add(owner.metadata.name ?? '')
        await this.#say(owner, { status: { phase: 'Succeeded' } })
      }
      await this.#attempt(() => this.#client.delete(pods, key, { gracePeriodSeconds: 0 }))
    } else if (pod.spec.nodeName === undefined) {
      const node = this.#names.find((name) => takes(all, launchers, name, pod))
      if (node === undefined) return
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: key, target: { kind: 'Node', name: node } }
      await this.#attempt(() => this.#client.create(pods as unknown as ResourceType<Pod>, binding as never, { subresource: 'binding' }))
    } else if (pod.status?.phase !== 'Running') {
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now() }] }
      await this.#attempt(() => this.#client.patch(pods, key, { type: 'merge', body: { status } }, { subresource: 'status' }))
    }
  }

  async #runGuest(vmi: VirtualMachineInstance, launchers: readonly Pod[]): Promise<void> {
    const { status } = vmi
    if (status?.phase === 'Scheduled') {
      const conditions = [...(status.conditions ?? []), { type: 'LiveMigratable', ...migratabilityOf(vmi) }]
      await this.#say(vmi, { status: { phase: 'Running', conditions } })
    }
    const state = status?.migrationState
    if (status?.phase !== 'Running' || state?.migrationUid === undefined || state.completed === true) return
    const target = launchers.find(({ metadata, spec }) => metadata.name === state.targetPod && spec.nodeName === state.targetNode)
    if (state.abortRequested === true || target === undefined) {
      const failed = { completed: true, failed: true, failureReason: 'it was called off', endTimestamp: now() }
      const kept = Object.entries(status.activePods ?? {}).map(([uid, at]) => [uid, at === status.nodeName ? at : null] as const)
      await this.#say(vmi, { status: { migrationState: failed, activePods: Object.fromEntries(kept) } })
    } else if (state.targetNodeAddress === undefined) {
      await this.#say(vmi, { status: { migrationState: { targetNodeAddress: '127.0.0.1' } } })
    } else if ((state.startTimestamp ?? null) === null) {
      await this.#say(vmi, { status: { migrationState: { startTimestamp: now() } } })
    } else {
      const active = Object.keys(status.activePods ?? {}).map(
        (uid) => [uid, uid === target.metadata.uid ? state.targetNode : null] as const,
      )
      await this.#say(vmi, {
        metadata: { labels: { [names.nodeNameLabel]: state.targetNode } },
        status: {
          nodeName: state.targetNode,
          evacuationNodeName: null,
          activePods: Object.fromEntries(active),
          launcherContainerImageVersion: target.spec.containers[0]?.image ?? '',
          migrationState: { completed: true, endTimestamp: now() },
        },
      })
    }
  }

  async #say(vmi: VirtualMachineInstance, change: { metadata?: object; status: object }): Promise<void> {
    const body = { ...change, metadata: { resourceVersion: vmi.metadata.resourceVersion, ...change.metadata } }
    await this.#attempt(() => this.#client.patch(virtualMachineInstances, keyOf(vmi), { type: 'merge', body }))
  }

  /** Ignores conflicts with other writers: the next step repeats the write. */
  async #attempt(write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error
    }
  }
}

/** Returns the LiveMigratable condition: false for guests with the annotation `stuck`. */
function migratabilityOf({ metadata }: VirtualMachineInstance): { status: 'True' | 'False'; reason?: string } {
  return metadata.annotations?.['stuck'] === undefined ? { status: 'True' } : { status: 'False', reason: 'DisksNotLiveMigratable' }
}

function takes(all: readonly Node[], launchers: readonly Pod[], name: string, { metadata, spec }: Pod): boolean {
  const node = all.find((one) => one.metadata.name === name)
  const guest = metadata.labels?.[names.createdByLabel]
  const isTaken = launchers.some((other) => other.spec.nodeName === name && other.metadata.labels?.[names.createdByLabel] === guest)
  const wanted = Object.entries(spec.nodeSelector ?? {})
  return node?.spec?.unschedulable !== true && !isTaken && wanted.every(([key, value]) => node?.metadata.labels?.[key] === value)
}

function keyOf({ metadata }: { readonly metadata: Pod['metadata'] }): ObjectKey & { namespace: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
}
