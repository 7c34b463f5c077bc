import { timestamp } from '#runtime/clock.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { interceptEviction } from '#features/eviction/index.ts'
import { createOperator } from '#features/operator/index.ts'
import { createVirtControllerRunnables } from '#features/virt-controller/index.ts'
import { LeadershipLost } from '#runtime/leader-election/leadership-lost.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { SimulatedClient } from './client.ts'
import { versionOf } from './kubelets.ts'
import { log } from './log.ts'
import { imageOf } from './node-agent.ts'
import { keyOf, type World } from './world.ts'

const namespace = 'kubevirt'
const evictionStrategy = 'LiveMigrate'

/** A process that can be killed at any time. */
interface Process {
  readonly client: SimulatedClient
  readonly stop: AbortController
  readonly version: string
}

/**
 * The real virt-operator and virt-controller, and what starts them: a DaemonSet, Deployments, and
 * random kills.
 */
export class ControlPlane {
  /** Events that were recorded, by reason. */
  readonly events = new Map<string, number>()
  readonly #world: World
  readonly #soakMs: number
  #operator: Process | undefined
  #controller: Process | undefined
  readonly #rolling = new Set<string>()
  #isDaemonSetAwake = false

  constructor(world: World, { soakMs }: { readonly soakMs: number }) {
    this.#world = world
    this.#soakMs = soakMs
    const webhook = world.connect('virt-api')
    world.api.judgeEviction = (pod) =>
      interceptEviction({ client: webhook, config: () => ({ evictionStrategy }) }, {
        uid: 'review',
        operation: 'CREATE',
        ...keyOf(pod),
        object: { metadata: keyOf(pod) },
      } as Parameters<typeof interceptEviction>[1])
    world.api.store.listeners.add(({ resource }) => {
      if (resource.plural === daemonSets.plural || resource.plural === nodes.plural || resource.plural === pods.plural)
        this.#wakeDaemonSet()
      if (resource.plural === deployments.plural) world.run(() => this.#roll())
    })
  }

  /** Starts virt-operator, which installs all the rest. */
  startOperator(): void {
    const operator = this.#processOf('virt-operator', 'v1.0.0')
    const { caches, controller } = createOperator({
      ...this.#surroundings(operator),
      platform: { args: {}, environment: {}, annotations: {}, controlPlaneNode: '' },
      own: { version: 'v1.0.0', registry: 'registry.test' },
      contents: (version) => Promise.resolve(contentsOf(version)),
      soakMs: this.#soakMs,
    })
    this.#start(operator, [caches, controller])
    this.#operator = operator
  }

  killOperator(): void {
    this.#kill(this.#operator)
    this.#operator = undefined
    this.#world.later(1_000, 5_000, () => this.startOperator())
  }

  killController(): void {
    const { version } = this.#controller ?? {}
    this.#kill(this.#controller)
    this.#controller = undefined
    if (version !== undefined)
      this.#world.later(1_000, 5_000, () => (this.#controller === undefined ? this.#startController(version) : undefined))
  }

  /** All that watch lose their connections. */
  breakWatches(): void {
    for (const process of [this.#operator, this.#controller]) process?.client.breakWatches()
  }

  #startController(version: string): void {
    // One at a time, as leader election has it: the one before may have been killed and started
    // again while this one was on its way.
    this.#kill(this.#controller)
    const controller = this.#processOf('virt-controller', version)
    const { caches, controllers } = createVirtControllerRunnables({
      ...this.#surroundings(controller),
      launcherImage: imageOf('virt-launcher', version),
      catalogueQuietMs: 1e12,
    })
    this.#start(controller, [caches, ...controllers])
    this.#controller = controller
  }

  #processOf(name: string, version: string): Process {
    return { client: this.#world.connect(name), stop: new AbortController(), version }
  }

  #surroundings({ client }: Process) {
    const { clock, seeded } = this.#world
    const event = (_object: unknown, _type: string, reason: string): void =>
      void this.events.set(reason, (this.events.get(reason) ?? 0) + 1)
    return { client, clock, log, random: () => seeded.below(1 << 30) / (1 << 30), recorder: { event } }
  }

  #start({ stop }: Process, runnables: readonly Runnable[]): void {
    for (const runnable of runnables) this.#world.run(() => runnable.run(stop.signal))
  }

  #kill(process: Process | undefined): void {
    process?.client.kill()
    process?.stop.abort(new LeadershipLost('killed'))
  }

  /** Nodes without an agent get one, a little later. */
  #wakeDaemonSet(): void {
    if (this.#isDaemonSetAwake) return
    this.#isDaemonSetAwake = true
    this.#world.later(50, 300, () => {
      this.#isDaemonSetAwake = false
      for (const daemonSet of this.#world.api.store.all(daemonSets)) this.#fill(daemonSet)
    })
  }

  #fill({ metadata, spec }: DaemonSet): void {
    const { api } = this.#world
    for (const { metadata: node } of api.store.all(nodes)) {
      const key = { namespace, name: `${metadata.name}-${node.name}` }
      if (api.store.get(pods, key) !== undefined) continue
      const { template } = spec
      const pod = { metadata: { ...template.metadata, ...key }, spec: { ...template.spec, nodeName: node.name } }
      api.create<Pod>('daemonset-controller', pods, pod)
    }
  }

  /** All pods of one at a time: of those that lead, one works anyway. */
  #roll(): void {
    for (const deployment of this.#world.api.store.all(deployments)) {
      const { name = '', generation = 0 } = deployment.metadata
      if ((deployment.status?.observedGeneration ?? 0) >= generation || this.#rolling.has(name)) continue
      this.#rolling.add(name)
      const isController = name === 'virt-controller'
      const before = this.#controller?.version
      const version = versionOf(deployment.spec.template as Pod)
      if (isController && before !== version) this.#kill(this.#controller)
      this.#world.later(1_000, 4_000, () => {
        this.#rolling.delete(name)
        if (isController && before !== version) this.#startController(version)
        this.#replacePod(deployment, version)
        this.#settle(keyOf(deployment), generation)
      })
    }
  }

  /** One ready pod stands for all of a Deployment, on a node that is none of the simulated ones. */
  #replacePod({ metadata: { name = '' }, spec: { template } }: Deployment, version: string): void {
    const { api, clock } = this.#world
    const key = { namespace, name: `${name}-${version}` }
    const old = [...api.store.all(pods)].filter(({ metadata }) => metadata.labels?.['kubevirt.io'] === name && metadata.name !== key.name)
    for (const pod of old) api.delete('deployment-controller', pods, keyOf(pod), { gracePeriodSeconds: 0 })
    if (api.store.get(pods, key) !== undefined) return
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(clock.now()) }
    const status = { phase: 'Running', conditions: [ready] }
    const pod = { metadata: { ...template.metadata, ...key }, spec: { ...template.spec, nodeName: 'control-plane' }, status }
    api.create<Pod>('deployment-controller', pods, pod as KubeObject)
  }

  #settle(key: { readonly namespace: string; readonly name: string }, observedGeneration: number): void {
    this.#world.change<Deployment>('deployment-controller', deployments, key, (now) => {
      const { replicas = 1 } = now.spec
      const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration }
      return { ...now, status: { ...now.status, ...counts } }
    })
  }
}

/** A role that each version words anew: rights grow before an upgrade, and shrink after it. */
function contentsOf(
  version: string,
): Parameters<typeof createOperator>[0]['contents'] extends (version: string) => Promise<infer C> ? C : never {
  const rules = [{ apiGroups: ['things.test'], resources: [`things-of-${version}`], verbs: ['get'] }]
  const metadata = { name: 'virt-controller', labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } }
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules }
  return { definitions: { hash: version, count: 0, read: () => Promise.resolve([]) }, access: [role] }
}
