import { managedByLabel, manager } from '#api/access/managed.ts'
import assert from 'node:assert/strict'
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#api/rbac/v1/role.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { KubeVirt, UpgradeFinding } from '#api/kubevirt/v1/kubevirt.ts'
import { conflict, notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { TransportError, type Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createVirtualClock, type VirtualClock } from '#runtime/clock/virtual-clock.ts'
import { agentReportAnnotations } from '#features/node-health/index.ts'
import { imageHash } from '#features/vmi/index.ts'
import { guardedCrds } from './install/creation-guard.ts'
import type { ReleaseContents } from './install/release-contents.ts'
import { createOperatorReconciler } from './reconciler.ts'
import { creationGuardName } from './install/webhook-registrations.ts'
import { releaseAnnotations, componentNames } from './manifests/install-strategy.ts'

const namespace = 'kubevirt'
const hooksPlural = 'validatingwebhookconfigurations'
const newKind = 'news.things.test'
const key = { namespace, name: 'kubevirt' }

/** The API server holds a definition by this one until all of its objects are gone. */
/** A crashing pod is ready in one of so many steps. */
const crashEverySteps = 4
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'
/** Milliseconds that a pod needs to start. */
const startMs = 2_000

/**
 * A cluster of nothing but what the operator looks at: objects, and a step by which pods come,
 * become ready or crash.
 */
export class SimulatedCluster {
  readonly clock: VirtualClock = createVirtualClock()
  readonly objects = new Map<string, KubeObject & { spec?: unknown; status?: unknown }>()
  readonly events: string[] = []
  /** Nodes whose agent has reported that it is being replaced. */
  readonly announced = new Set<string>()
  readonly nodes: { readonly name: string; isReady: boolean }[]
  /**
   * Versions whose agents end at their start, never become ready, are not heard of, do not reach
   * their guests, or are well on the first node only.
   */
  readonly broken = new Map<string, 'crashes' | 'hangs' | 'is silent' | 'loses guests' | 'works once'>()
  /**
   * Deployments whose pods crash shortly after each start, never become ready, or are never
   * created:
   * `virt-api v2.0.0`.
   */
  readonly brokenDeployments = new Map<string, 'crashes' | 'hangs' | 'has no pods'>()
  /** Reports of node agents, by node. */
  readonly heard = new Map<string, Readonly<Record<string, string>>>()
  /** Findings of the upgrade check, by target version. */
  readonly findings = new Map<string, readonly UpgradeFinding[]>()
  /** Number of lists of all kinds. */
  looks = 0
  /** Versions of the API servers that answer now. */
  serving: readonly string[] = []
  /** Called before and after each write; may throw. */
  onWrite: (moment: 'before' | 'after') => void = () => {}
  #revision = 1
  #uids = 0
  readonly #steps = new Map<string, number>()

  constructor(nodes: number) {
    this.nodes = Array.from({ length: nodes }, (_, index) => ({ name: `node-${index}`, isReady: true }))
    this.put('kubevirts', { metadata: { ...key, generation: 1, uid: 'kv' }, spec: {} } as KubeObject)
  }

  get kubevirt(): KubeVirt {
    return this.objects.get('kubevirts/kubevirt') as unknown as KubeVirt
  }

  /** Requests a version as the user does. */
  ask(imageTag: string): void {
    const { metadata, spec, status } = this.kubevirt
    this.put('kubevirts', {
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...spec, imageTag },
      status,
    } as KubeObject)
  }

  /** An operator that has just been started. */
  operator(): () => Promise<void> {
    const all = <T>(kind: string): readonly T[] =>
      [...this.objects].filter(([path]) => path.startsWith(`${kind}/`)).map(([, object]) => object as unknown as T)
    const lister = <T>(kind: string): Lister<T & KubeObject> =>
      ({ list: () => all(kind), get: (_: string, name: string) => this.objects.get(`${kind}/${name}`) }) as unknown as Lister<
        T & KubeObject
      >
    const reconcile = createOperatorReconciler({
      client: this.#client(),
      kubevirts: lister<KubeVirt>('kubevirts') as Lister<KubeVirt>,
      deployments: lister<Deployment>('deployments') as Lister<Deployment>,
      daemonSets: lister<DaemonSet>('daemonsets') as Lister<DaemonSet>,
      services: lister<Service>('services') as Lister<Service>,
      pods: lister<Pod>('pods') as Lister<Pod>,
      nodes: {
        list: () => this.nodes.map((node) => this.#nodeOf(node)),
        get: (_: string, name: string) => this.nodes.filter((node) => node.name === name).map((node) => this.#nodeOf(node))[0],
      } as unknown as Lister<Node>,
      recorder: { event: (_object, _type, reason, message) => void this.events.push(`${reason}: ${message}`) },
      clock: this.clock,
      platform: { args: {}, environment: {}, annotations: {}, controlPlaneNode: '' },
      own: { version: 'v1.0.0', registry: 'registry.test' },
      namespace,
      soakMs: 10_000,
      deadlineMs: 30_000,
      contractAfterMs: 20_000,
      contents: (version) => Promise.resolve(contentsOf(version)),
      clusterRoles: lister<ClusterRole>('clusterroles') as Lister<ClusterRole>,
      clusterRoleBindings: lister<ClusterRoleBinding>('clusterrolebindings') as Lister<ClusterRoleBinding>,
      roles: lister<Role>('roles') as Lister<Role>,
      roleBindings: lister<RoleBinding>('rolebindings') as Lister<RoleBinding>,
      definitions: lister<KubeObject>('customresourcedefinitions'),
      validatingWebhooks: lister<ValidatingWebhookConfiguration>(hooksPlural) as Lister<ValidatingWebhookConfiguration>,
      mutatingWebhooks: lister<MutatingWebhookConfiguration>('mutatingwebhookconfigurations') as Lister<MutatingWebhookConfiguration>,
      apiServices: lister<APIService>('apiservices') as Lister<APIService>,
      bundle: () => 'bundle',
      unbundled: [],
      log: { info: () => {}, warn: () => {} },
      monitoring: { observe: () => ({ installed: [], isKnown: true, found: [] }) },
      preflight: [({ to }) => Promise.resolve({ findings: [...(this.findings.get(to) ?? [])] })],
    })
    return async () => void (await reconcile(key, { signal: new AbortController().signal }))
  }

  /** Advances time, and runs everything but the operator. */
  async step(ms: number): Promise<void> {
    await this.clock.advance(ms)
    this.#runDaemonSet()
    for (const name of [componentNames.controller, componentNames.api]) this.#runDeployment(name)
  }

  /** Versions that have the rights they need, of the components; sorted. */
  rights(): string[] {
    const here = this.rightsBy('roles')
    return this.rightsBy('clusterroles').filter((version) => here.includes(version))
  }

  /** The same of one kind of roles. */
  rightsBy(kind: 'roles' | 'clusterroles'): string[] {
    const { rules } = (this.objects.get(`${kind}/component`) ?? {}) as Partial<ClusterRole>
    return (rules ?? []).map(({ resources }) => resources?.[0] ?? '').toSorted()
  }

  /** Versions of the one kind that there is; the one that is stored has a star. */
  kinds(): string[] {
    const { spec } = (this.objects.get('customresourcedefinitions/things') ?? {}) as Partial<CustomResourceDefinition>
    return (spec?.versions ?? []).map(({ name, storage }) => (storage ? `${name}*` : name)).toSorted()
  }

  /**
   * Every webhook is served by its backend, every object that all versions can review is reviewed,
   * and no object of a kind that a server does not know is created.
   */
  checkAdmission(): void {
    const hooks = this.objects.get(`${hooksPlural}/hooks`) as Partial<ValidatingWebhookConfiguration> | undefined
    const asked = (hooks?.webhooks ?? []).map(({ name }) => name)
    const answers = this.serving.map((version) => webhooksOf(version))
    for (const name of asked)
      assert.ok(
        answers.every((some) => some.includes(name)),
        `${name} is asked of ${this.serving.join()}`,
      )
    if (this.kubevirt.status?.observedKubeVirtVersion !== undefined) assert.ok(asked.includes('all'), 'nobody judges')
    const gate = this.objects.get(`${hooksPlural}/${creationGuardName}`) as ValidatingWebhookConfiguration | undefined
    const isOpen = this.objects.has(`customresourcedefinitions/${newKind}`) && !guardedCrds(gate).includes(newKind)
    assert.ok(!isOpen || !this.serving.includes('v1.0.0'), 'a kind is open that somebody does not know')
  }

  /** Returns the names of the registered webhooks, sorted. */
  asked(): string[] {
    const registered = [...this.objects].filter(([path]) => path.startsWith(`${hooksPlural}/`)).map(([, object]) => object)
    return (registered as Partial<ValidatingWebhookConfiguration>[])
      .flatMap(({ webhooks = [] }) => webhooks.map(({ name }) => name))
      .toSorted()
  }

  /** Versions of the living agents, by node. */
  agentVersions(): string[] {
    return this.#pods().map(versionOf).toSorted()
  }

  /** Reports whether the agent of a node is starting. */
  isStarting(node: string): boolean {
    const pod = this.#pods().find(({ spec }) => spec.nodeName === node)
    return pod === undefined || pod.status === undefined
  }

  /** Version of a Deployment's template. */
  versionAt(name: string): string {
    return versionOf(this.objects.get(name) ?? {})
  }

  #pods(component: string = componentNames.agent): Pod[] {
    return [...this.objects]
      .filter(([path, { metadata }]) => path.startsWith('pods/') && metadata?.labels?.['kubevirt.io'] === component)
      .map(([, object]) => object as unknown as Pod)
  }

  #runDaemonSet(): void {
    const daemonSet = this.objects.get(`daemonsets/${componentNames.agent}`) as unknown as DaemonSet | undefined
    if (daemonSet === undefined) return
    this.put('daemonsets', { ...daemonSet, status: { observedGeneration: daemonSet.metadata.generation } } as unknown as KubeObject)
    for (const { name } of this.nodes.filter(({ isReady }) => isReady)) {
      const pod = this.#pods().find(({ spec }) => spec.nodeName === name)
      if (pod === undefined) {
        const { metadata, spec } = daemonSet.spec.template
        const made = { creationTimestamp: timestamp(this.clock.now()), name: `agent-${++this.#uids}`, namespace, uid: `uid-${this.#uids}` }
        this.put('pods', { metadata: { ...metadata, ...made }, spec: { ...spec, nodeName: name } } as KubeObject)
      } else if (pod.status === undefined && this.clock.now() >= Date.parse(pod.metadata.creationTimestamp ?? '') + startMs) {
        const fault = this.broken.get(versionOf(pod))
        if (fault === 'hangs' || (fault === 'works once' && name !== this.nodes[0]?.name)) {
          this.put('pods', { ...pod, status: { containerStatuses: [{ state: { running: {} } }] } } as unknown as KubeObject)
          continue
        }
        const isUp = fault !== 'crashes'
        if (isUp && fault !== 'is silent') this.#beat(name, versionOf(pod), fault === 'loses guests' ? 0 : 1)
        const end = { restartCount: 2, lastState: { terminated: { exitCode: 1, message: 'cannot start' } } }
        const ready = { type: 'Ready', status: isUp ? 'True' : 'False', lastTransitionTime: timestamp(this.clock.now()) }
        this.put('pods', {
          ...pod,
          status: { conditions: [ready], containerStatuses: [isUp ? { state: { running: {} } } : end] },
        } as unknown as KubeObject)
      }
    }
  }

  /** Each node has a guest. */
  #beat(node: string, version: string, guests: number): void {
    this.heard.set(node, {
      'kubevirt.io/heartbeat': JSON.stringify(timestamp(this.clock.now())),
      ...agentReportAnnotations({ release: imageHash(`registry.test/virt-launcher:${version}`), guests }),
    })
  }

  #nodeOf({ name, isReady }: { readonly name: string; readonly isReady: boolean }): Node {
    const annotations = this.heard.get(name) ?? {}
    return {
      metadata: { name, annotations },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
    } as unknown as Node
  }

  #runDeployment(name: string): void {
    const deployment = this.objects.get(`deployments/${name}`) as unknown as Deployment | undefined
    if (deployment === undefined) return
    const version = versionOf(deployment)
    const fault = this.brokenDeployments.get(`${name} ${version}`)
    if (fault === undefined && deployment.status?.observedGeneration === deployment.metadata.generation) return
    if (name === componentNames.api && !this.serving.includes(version)) {
      // Old and new ones answer side by side for a while.
      this.serving = [...this.serving, version]
      return
    }
    const { replicas = 1, template } = deployment.spec
    const isUp = fault === undefined || (fault === 'crashes' && this.#runs(name, version) % crashEverySteps === 0)
    const old = this.#pods(name).filter((pod) => versionOf(pod) !== version)
    if (isUp) for (const pod of old) this.objects.delete(`pods/${pod.metadata.name ?? ''}`)
    if (isUp && name === componentNames.api) this.serving = [version]
    if (fault !== 'has no pods') {
      for (let index = 0; index < replicas; index++) this.#runPod(`${name}-${version}-${index}`, template, isUp)
    }
    const observedGeneration = deployment.metadata.generation ?? 0
    const available = isUp ? replicas : old.length
    const counts = { replicas: isUp ? replicas : replicas + old.length, updatedReplicas: replicas, availableReplicas: available }
    this.put('deployments', { ...deployment, status: { ...counts, observedGeneration } } as unknown as KubeObject)
  }

  /** Counts the steps that a Deployment of a version has run. */
  #runs(name: string, version: string): number {
    const steps = this.#steps.get(`${name} ${version}`) ?? 0
    this.#steps.set(`${name} ${version}`, steps + 1)
    return steps
  }

  /** Creates a pod of a Deployment; a crash restarts its container and makes it not ready. */
  #runPod(name: string, { metadata, spec }: Deployment['spec']['template'], isUp: boolean): void {
    const now = timestamp(this.clock.now())
    const present = this.objects.get(`pods/${name}`) as unknown as Pod | undefined
    const wasUp = present?.status?.conditions?.[0]?.status === 'True'
    const made = present?.metadata ?? { ...metadata, name, namespace, creationTimestamp: now, uid: `uid-${++this.#uids}` }
    const restarts = present?.status?.containerStatuses?.[0]?.restartCount ?? 0
    const end = { exitCode: 1, message: 'cannot start', startedAt: now, finishedAt: now }
    const isFirst = present === undefined
    const restartCount = isUp && !isFirst && !wasUp ? restarts + 1 : restarts
    const lastState = restartCount > 0 || (wasUp && !isUp) ? { terminated: end } : {}
    const state = isUp || isFirst ? { running: {} } : { waiting: { reason: 'CrashLoopBackOff' } }
    const ready = { type: 'Ready', status: isUp ? 'True' : 'False', lastTransitionTime: now }
    const kept = wasUp === isUp && !isFirst ? present?.status?.conditions : [ready]
    const status = { conditions: kept, containerStatuses: [{ restartCount, state, lastState }] }
    this.put('pods', { metadata: { ...made, annotations: metadata?.annotations }, spec, status } as unknown as KubeObject)
  }

  /**
   * Deletes an object, or sets its deletion timestamp while finalizers or objects of its kind hold
   * it.
   */
  mark(kind: string, object: KubeObject): void {
    const { metadata } = object
    const isDefinition = kind === 'customresourcedefinitions'
    const finalizers = [...new Set([...(metadata?.finalizers ?? []), ...(isDefinition ? [cleanupFinalizer] : [])])]
    const { deletionTimestamp = timestamp(this.clock.now()) } = metadata ?? {}
    this.letGo(
      kind,
      finalizers.length === 0
        ? { ...object, metadata: { ...metadata, finalizers, deletionTimestamp } }
        : this.put(kind, { ...object, metadata: { ...metadata, finalizers, deletionTimestamp } }),
    )
  }

  /** Ends an object that goes and is not held any more. */
  letGo(kind: string, { metadata }: KubeObject): void {
    if (metadata?.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0)
      this.objects.delete(`${kind}/${metadata.name ?? ''}`)
  }

  /** Stores an object as it is given. */
  put(kind: string, object: KubeObject): KubeObject {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#revision) } }
    this.objects.set(`${kind}/${object.metadata?.name ?? ''}`, stored)
    return stored
  }

  #client(): Client {
    const write = <T>(act: () => T): Promise<T> =>
      new Promise((resolve) => {
        this.onWrite('before')
        const result = act()
        this.onWrite('after')
        resolve(result)
      })
    const patch: Client['patch'] = (resource, { name }, change) =>
      write(() => {
        if (resource.kind === 'Node') {
          const { labels } = ((change as { body?: unknown }).body as { metadata: { labels?: object } }).metadata
          return void (labels === undefined ? this.announced.add(name) : this.heard.delete(name)) as never
        }
        const present = this.objects.get(`${resource.plural}/${name}`)
        if (change.type === 'apply') {
          const isSame = JSON.stringify(present?.spec) === JSON.stringify((change.body as { spec?: unknown }).spec)
          const generation = (present?.metadata?.generation ?? 0) + (isSame ? 0 : 1)
          const { status } = present ?? {}
          const { finalizers, deletionTimestamp } = present?.metadata ?? {}
          const kept = { ...(finalizers && { finalizers }), ...(deletionTimestamp && { deletionTimestamp }) }
          return this.put(resource.plural, {
            ...change.body,
            status,
            // Services do not count their changes.
            metadata: { ...change.body.metadata, ...kept, ...(resource.plural === 'services' ? {} : { generation }) },
          } as KubeObject) as never
        }
        if (present === undefined || change.type !== 'merge') throw notFound(resource, name)
        const { resourceVersion } = (change.body as KubeObject).metadata ?? {}
        if (resourceVersion !== present.metadata?.resourceVersion) throw conflict(resource, name, 'stale')
        const patched = this.put(resource.plural, applyMergePatch(present, change.body) as KubeObject)
        this.letGo(resource.plural, patched)
        return patched as never
      })
    const keep = (resource: { readonly plural: string }, object: KubeObject): Promise<never> =>
      write(() => {
        const { name = '', resourceVersion } = object.metadata ?? {}
        const present = this.objects.get(`${resource.plural}/${name}`)
        if (present?.metadata?.resourceVersion !== resourceVersion) throw conflict(resource as never, name, 'stale')
        return this.put(resource.plural, object) as never
      })
    const remove: Client['delete'] = (resource, { name }) =>
      write(() => {
        const path = `${resource.plural}/${name}`
        const node = (this.objects.get(path) as unknown as Partial<Pod> | undefined)?.spec?.nodeName ?? ''
        assert.ok(resource.kind !== 'Pod' || this.announced.delete(node), `nobody knows that the agent of ${node} is to be replaced`)
        const present = this.objects.get(path)
        if (present === undefined) throw notFound(resource, name)
        this.mark(resource.plural, present)
      })
    const list: Client['list'] = ({ plural }, { labelSelector = '' } = {}) => {
      if (plural === 'virtualmachineinstances') return Promise.resolve({ items: [{ metadata: {}, status: { phase: 'Running' } }] }) as never
      if (plural === 'customresourcedefinitions') this.looks++
      const [label = '', value] = labelSelector.split('=')
      const isSelected = ({ metadata }: KubeObject): boolean => {
        const found = metadata?.labels?.[label]
        return label === '' || (found !== undefined && (value === undefined || found === value))
      }
      const items = [...this.objects]
        .filter(([path, object]) => path.startsWith(`${plural}/`) && isSelected(object))
        .map(([, object]) => object)
      return Promise.resolve({ items }) as never
    }
    return { create: keep, update: keep, patch, delete: remove, list } as unknown as Client
  }
}

/**
 * Each version has rights and a version of a kind by its own name, and knows those of the one
 * before.
 */
function contentsOf(version: string): ReleaseContents {
  const major = Number(version[1])
  const known = [major - 1, major].filter((number) => number > 0).map((number) => `v${number}.0.0`)
  const labels = { [managedByLabel]: manager }
  const rule = { apiGroups: ['things.test'], resources: [version], verbs: ['get'] }
  const kind = {
    metadata: { name: 'things', labels: { 'kubevirt.io': '' } },
    spec: { versions: known.map((name) => ({ name, served: true, storage: name === version })) },
  }
  const other = { metadata: { name: newKind }, spec: { versions: [{ name: 'v1', served: true, storage: true }] } }
  const kinds = (major > 1 ? [kind, other] : [kind]) as unknown as readonly CustomResourceDefinition[]
  return {
    definitions: { hash: `hash-of-${version}`, count: kinds.length, read: () => Promise.resolve(kinds) },
    registrations: [hooksOf(version), aggregated],
    access: [
      { metadata: { name: 'component', labels }, rules: [rule] } as unknown as ClusterRole,
      { metadata: { name: 'component', namespace, labels }, rules: [rule] } as unknown as Role,
    ],
  }
}

/**
 * Each version answers all that the one before has brought, but not what that one had kept; one
 * question they have in common.
 */
function webhooksOf(version: string): readonly string[] {
  const major = Number(version[1])
  return ['all', `of-v${major - 1}`, `of-v${major}`]
}

const aggregated = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.subresources', labels: { 'kubevirt.io': 'virt-api-aggregator' } },
  spec: { service: { name: componentNames.api, namespace } },
} as unknown as APIService

function hooksOf(version: string): ValidatingWebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hooks', labels: { 'kubevirt.io': componentNames.api } },
    webhooks: webhooksOf(version).map((name) => ({ name, clientConfig: {}, sideEffects: 'None', admissionReviewVersions: ['v1'] })),
  }
}

/** Throws the error that a request of a killed process ends with. */
export const killed = (): never => {
  throw new TransportError('killed')
}

function versionOf({ metadata }: KubeObject): string {
  return metadata?.annotations?.[releaseAnnotations.version] ?? ''
}
