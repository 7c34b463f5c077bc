import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { clusterRoles } from '#api/rbac/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { createCertificates } from '#features/certificates/index.ts'
import { found, startTestCluster, type TestCluster } from '#features/cluster.fixture.ts'
import { createOperator } from '#features/operator/index.ts'
import { systemClock, type Clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { FakeComponents } from './fakes/fake-components.ts'
import { contentsOf, thingsName } from './fakes/fake-release-contents.ts'

const kubevirtKey = { namespace: 'kubevirt', name: 'kubevirt' }
const limitMs = 90_000

/**
 * A cluster in which the real operator installs the system: the real API server, Deployments,
 * DaemonSets and scheduler, and simulated kubelets.
 */
export class Installation implements AsyncDisposable {
  readonly client: Client
  readonly parts: FakeComponents
  /** Called after every step. */
  check: () => Promise<void> | void = () => {}
  readonly #cluster: TestCluster

  private constructor(cluster: TestCluster, parts: FakeComponents) {
    this.#cluster = cluster
    this.client = cluster.client
    this.parts = parts
  }

  /**
   * Creates nodes and the KubeVirt object with `spec`. Pods with images for which `isBroken`
   * returns true crash repeatedly.
   */
  static async create(nodes: number, spec: KubeVirt['spec'], isBroken: (image: string) => boolean = () => false): Promise<Installation> {
    const cluster = await startTestCluster({ random: () => Math.random() })
    const names = Array.from({ length: nodes }, (_, index) => `n${index + 1}`)
    const parts = await FakeComponents.create(cluster.client, names, (image) => (isBroken(image) ? 'crashes' : 'well'))
    // What the former version keeps is taken away soon, and not at once.
    const annotations = { 'steadyvm.io/keep-former-version-for': '1s' }
    const metadata = { ...kubevirtKey, annotations }
    // Otherwise there are as many as the nodes ask for.
    const asked = { infra: { replicas: 1 }, ...spec }
    await cluster.client.create<KubeVirt>(kubeVirts, { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata, spec: asked } as KubeVirt)
    return new Installation(cluster, parts)
  }

  /** Starts virt-operator in the version of the KubeVirt object; the result kills it. */
  startOperator(through: (client: Client) => Client = (client) => client, clock: Clock = systemClock): () => Promise<void> {
    const client = through(this.client)
    const recorder = createRecorder({ client, component: 'virt-operator', clock: systemClock, log })
    const { caches, controller, guard } = createOperator({
      client,
      recorder,
      clock: systemClock,
      log,
      random: () => 0,
      platform: { args: {}, environment: {}, annotations: {}, controlPlaneNode: '' },
      own: { version: 'v1.0.0', registry: 'registry.test' },
      contents: (version) => Promise.resolve(contentsOf(version)),
      soakMs: 0,
      // A slow machine must not cause a rollback.
      deadlineMs: limitMs,
    })
    const certificates = createCertificates({ client, clock, log })
    const stop = new AbortController()
    const running = [caches, controller, guard, certificates.caches, certificates.controller].map((one) => one.run(stop.signal))
    return async () => {
      stop.abort()
      await Promise.all(running)
    }
  }

  /** Steps the cluster until a condition holds. */
  async runUntil(isDone: () => Promise<boolean> | boolean): Promise<void> {
    const end = performance.now() + limitMs
    for (;;) {
      await this.parts.step()
      await this.check()
      if (await isDone()) return
      if (performance.now() > end) assert.fail(JSON.stringify((await this.kubevirt()).status))
      await sleep(20)
    }
  }

  kubevirt(): Promise<KubeVirt> {
    return this.client.get(kubeVirts, kubevirtKey)
  }

  /** Patches the spec of the KubeVirt object as the administrator does. */
  async ask(spec: object): Promise<void> {
    await this.client.patch(kubeVirts, kubevirtKey, { type: 'merge', body: { spec } })
  }

  /** Returns the distinct images of all pods of the system. */
  async images(component?: string): Promise<readonly string[]> {
    return [...new Set((await this.parts.pods(component)).map(({ spec }) => spec.containers[0]?.image ?? ''))].toSorted()
  }

  /**
   * Reports whether everything is at a version, no upgrade is in progress, and the status is
   * current.
   */
  async isAt(version: string, registry: string = 'registry.test'): Promise<boolean> {
    const { status, metadata } = await this.kubevirt()
    if (status?.observedKubeVirtVersion !== version || status.observedKubeVirtRegistry !== registry) return false
    if (status.observedGeneration !== metadata.generation || status.steadyvm?.upgrade !== undefined) return false
    const wanted = ['virt-api', 'virt-controller', 'virt-handler'].map((name) => `${registry}/${name}:${version}`)
    return (await this.images()).join() === wanted.join()
  }

  /**
   * Returns the versions in the role, and the versions of the CRD; the storage version has a star.
   */
  async ground(): Promise<{ readonly rights: string; readonly kinds: string }> {
    const role = await found(this.client, clusterRoles, 'things')
    const rights = (role?.rules ?? []).map(({ resources }) => resources?.[0] ?? '')
    const definition = await found(this.client, customResourceDefinitions, thingsName)
    const kinds = (definition?.spec.versions ?? []).map(({ name, storage }) => (storage ? `${name}*` : name))
    return {
      rights: rights.toSorted().join(),
      kinds: kinds.toSorted().join(),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]()
  }
}

/** Returns an installation at a version, without a running operator. */
export async function installed(nodes: number, version: string, isBroken?: (image: string) => boolean): Promise<Installation> {
  const system = await Installation.create(nodes, { imageTag: version }, isBroken)
  const stop = system.startOperator()
  await system.runUntil(() => system.isAt(version))
  await stop()
  return system
}

/**
 * Asserts the order of components: none has a version before the preceding ones have it; the API is
 * last.
 */
export async function assertFromBelow(system: Installation, version: string): Promise<void> {
  // What is asked last has had the most time.
  const api = await system.images('virt-api')
  const controllers = await system.images('virt-controller')
  const agents = await system.images('virt-handler')
  if (api.includes(`registry.test/virt-api:${version}`)) assert.equal(controllers.join(), `registry.test/virt-controller:${version}`)
  if (controllers.includes(`registry.test/virt-controller:${version}`)) assert.equal(agents.join(), `registry.test/virt-handler:${version}`)
}
