import { leases } from '#api/coordination/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { agentReportAnnotations } from '#features/node-health/index.ts'
import { imageHash } from '#features/vmi/index.ts'

const namespace = 'kubevirt'
const now = (): string => new Date().toISOString().replace(/\.\d{3}Z$/, 'Z')

/** State of a component's pod after its start. */
export type Health = 'well' | 'crashes'

/**
 * Kubelets that simulate the pods of the system, at each call of {@link FakeComponents.step}: pods
 * become ready or crash repeatedly, and deleted ones are removed. A healthy agent reports itself on
 * its node. Deployments, DaemonSets and the scheduler are real.
 */
export class FakeComponents {
  readonly #client: Client
  readonly #healthOf: (image: string) => Health

  private constructor(client: Client, healthOf: (image: string) => Health) {
    this.#client = client
    this.#healthOf = healthOf
  }

  static async create(client: Client, nodeNames: readonly string[], healthOf: (image: string) => Health): Promise<FakeComponents> {
    for (const name of nodeNames) {
      const labels = { 'kubernetes.io/hostname': name }
      await client.create<Node>(nodes, { metadata: { name, labels }, spec: {} } as Node)
      // The lease is never renewed, and must not expire during the test.
      const spec = { holderIdentity: name, leaseDurationSeconds: 3600, renewTime: new Date().toISOString().replace('Z', '000Z') }
      await client.create(leases, { metadata: { name, namespace: 'kube-node-lease' }, spec })
      const room = { cpu: '8', memory: '64Gi', pods: '110' }
      const status = { capacity: room, allocatable: room, conditions: [{ type: 'Ready', status: 'True' }] }
      await client.patch(nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' })
    }
    return new FakeComponents(client, healthOf)
  }

  /** Returns the pods of the system that are not being deleted; of one component, or of all. */
  async pods(component?: string): Promise<readonly Pod[]> {
    const labelSelector = component === undefined ? 'kubevirt.io' : `kubevirt.io=${component}`
    const { items } = await this.#client.list(pods, { namespace, labelSelector })
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  }

  /** Runs the next step of every kubelet. */
  async step(): Promise<void> {
    const { items } = await this.#client.list(pods, { namespace, labelSelector: 'kubevirt.io' })
    await Promise.all(items.map((pod) => this.#attempt(() => this.#run(pod))))
  }

  async #run({ metadata, spec, status }: Pod): Promise<unknown> {
    const key = { namespace, name: metadata.name ?? '' }
    if (metadata.deletionTimestamp !== undefined)
      return this.#client.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid ?? '' } })
    if (spec.nodeName === undefined || status?.containerStatuses !== undefined) return undefined
    const { name = '', image = '' } = spec.containers[0] ?? {}
    const isWell = this.#healthOf(image) === 'well'
    if (isWell && name === 'virt-handler') await this.#beat(spec.nodeName, image.replace('/virt-handler:', '/virt-launcher:'))
    const ended = { terminated: { exitCode: 1, message: 'nothing works here' } }
    const container = isWell ? { restartCount: 0, state: { running: {} } } : { restartCount: 2, state: ended, lastState: ended }
    const conditions = [{ type: 'Ready', status: isWell ? 'True' : 'False', lastTransitionTime: now() }]
    const said = { phase: 'Running', conditions, containerStatuses: [{ name, image, imageID: image, ready: isWell, ...container }] }
    return this.#client.patch(pods, key, { type: 'merge', body: { status: said } }, { subresource: 'status' })
  }

  /** Writes the report of an agent: it has this release, and reaches all of its 0 guests. */
  async #beat(node: string, launcher: string): Promise<void> {
    const annotations = {
      'kubevirt.io/heartbeat': JSON.stringify(now()),
      ...agentReportAnnotations({ release: imageHash(launcher), guests: 0 }),
    }
    await this.#client.patch(nodes, { name: node }, { type: 'merge', body: { metadata: { annotations } } })
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
