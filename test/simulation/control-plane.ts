import { timestamp } from '#runtime/clock/clock.ts'
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
import { keyOf, type Environment } from './environment.ts'

const namespace = 'kubevirt'
const evictionStrategy = 'LiveMigrate'

/** A process that can be killed at any time. */
interface Process {
  readonly client: SimulatedClient
  readonly stop: AbortController
  readonly version: string
}

/**
 * The real virt-operator and virt-controller, with a simulated DaemonSet controller and Deployment
 * controller, and random kills.
 */
export class ControlPlane {
  /** Number of recorded events by reason. */
  readonly events = new Map<string, number>()
  readonly #environment: Environment
  readonly #soakMs: number
  #operator: Process | undefined
  #controller: Process | undefined
  readonly #rolling = new Set<string>()
  #isDaemonSetAwake = false

  constructor(environment: Environment, { soakMs }: { readonly soakMs: number }) {
    this.#environment = environment
    this.#soakMs = soakMs
    const webhook = environment.connect('virt-api')
    environment.api.judgeEviction = (pod) =>
      interceptEviction({ client: webhook, config: () => ({ evictionStrategy }) }, {
        uid: 'review',
        operation: 'CREATE',
        ...keyOf(pod),
        object: { metadata: keyOf(pod) },
      } as Parameters<typeof interceptEviction>[1])
    environment.api.store.listeners.add(({ resource }) => {
      if (resource.plural === daemonSets.plural || resource.plural === nodes.plural || resource.plural === pods.plural)
        this.#wakeDaemonSet()
      if (resource.plural === deployments.plural) environment.run(() => this.#roll())
    })
  }

  /** Starts virt-operator, which installs the system. */
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
    this.#environment.later(1_000, 5_000, () => this.startOperator())
  }

  killController(): void {
    const { version } = this.#controller ?? {}
    this.#kill(this.#controller)
    this.#controller = undefined
    if (version !== undefined)
      this.#environment.later(1_000, 5_000, () => (this.#controller === undefined ? this.#startController(version) : undefined))
  }

  /** Closes the watches of all processes. */
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
      importerImage: imageOf('virt-importer', version),
      version,
      exportServerImage: imageOf('virt-exportserver', version),
      inContainer: false,
      catalogueQuietMs: 1e12,
    })
    this.#start(controller, [caches, ...controllers])
    this.#controller = controller
  }

  #processOf(name: string, version: string): Process {
    return { client: this.#environment.connect(name), stop: new AbortController(), version }
  }

  #surroundings({ client }: Process) {
    const { clock, seeded } = this.#environment
    const event = (_object: unknown, _type: string, reason: string): void =>
      void this.events.set(reason, (this.events.get(reason) ?? 0) + 1)
    return { client, clock, log, random: () => seeded.below(1 << 30) / (1 << 30), recorder: { event } }
  }

  #start({ stop }: Process, runnables: readonly Runnable[]): void {
    for (const runnable of runnables) this.#environment.run(() => runnable.run(stop.signal))
  }

  #kill(process: Process | undefined): void {
    process?.client.kill()
    process?.stop.abort(new LeadershipLost('killed'))
  }

  /** Schedules the creation of missing agents. */
  #wakeDaemonSet(): void {
    if (this.#isDaemonSetAwake) return
    this.#isDaemonSetAwake = true
    this.#environment.later(50, 300, () => {
      this.#isDaemonSetAwake = false
      for (const daemonSet of this.#environment.api.store.all(daemonSets)) this.#fill(daemonSet)
    })
  }

  #fill({ metadata, spec }: DaemonSet): void {
    const { api } = this.#environment
    for (const { metadata: node } of api.store.all(nodes)) {
      const key = { namespace, name: `${metadata.name}-${node.name}` }
      if (api.store.get(pods, key) !== undefined) continue
      const { template } = spec
      const pod = { metadata: { ...template.metadata, ...key }, spec: { ...template.spec, nodeName: node.name } }
      api.create<Pod>('daemonset-controller', pods, pod)
    }
  }

  /** Replaces all pods of a Deployment at once: only the leader is active anyway. */
  #roll(): void {
    for (const deployment of this.#environment.api.store.all(deployments)) {
      const { name = '', generation = 0 } = deployment.metadata
      if ((deployment.status?.observedGeneration ?? 0) >= generation || this.#rolling.has(name)) continue
      this.#rolling.add(name)
      const isController = name === 'virt-controller'
      const before = this.#controller?.version
      const version = versionOf(deployment.spec.template as Pod)
      if (isController && before !== version) this.#kill(this.#controller)
      this.#environment.later(1_000, 4_000, () => {
        this.#rolling.delete(name)
        if (isController && before !== version) this.#startController(version)
        this.#replacePod(deployment, version)
        this.#settle(keyOf(deployment), generation)
      })
    }
  }

  /** Replaces the single pod that represents a Deployment. Its node is not simulated. */
  #replacePod({ metadata: { name = '' }, spec: { template } }: Deployment, version: string): void {
    const { api, clock } = this.#environment
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
    this.#environment.change<Deployment>('deployment-controller', deployments, key, (now) => {
      const { replicas = 1 } = now.spec
      const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration }
      return { ...now, status: { ...now.status, ...counts } }
    })
  }
}

/**
 * Returns the objects of a version. Each version has its own rules in the role, so that rights are
 * added before an upgrade and removed after it.
 */
function contentsOf(
  version: string,
): Parameters<typeof createOperator>[0]['contents'] extends (version: string) => Promise<infer C> ? C : never {
  const rules = [{ apiGroups: ['things.test'], resources: [`things-of-${version}`], verbs: ['get'] }]
  const metadata = { name: 'virt-controller', labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } }
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules }
  return { definitions: { hash: version, count: 0, read: () => Promise.resolve([]) }, access: [role] }
}
