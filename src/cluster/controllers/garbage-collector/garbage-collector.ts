import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, groupResourceOf, type ObjectKey, parseApiVersion, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { createInformer } from '#runtime/cache/informer.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { channelSource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { decideDeleting, decideLiving, type GarbageDecision, type ResolvedOwner, type OwnerState } from './decide.ts'
import { type GraphNode, graphNode, OwnerGraph, orphanFinalizer, foregroundFinalizer, refersTo, waitsForDependents } from './owner-graph.ts'
import type { ResourceCatalog } from '../resource-catalog.ts'

/** Dependencies of the garbage collector. */
export interface GarbageCollectorOptions {
  readonly client: Client
  readonly catalog: ResourceCatalog
  readonly clock: Clock
  readonly log: Logger
  /** Records events about references that can never resolve. Default: none. */
  readonly recorder?: Recorder
}

/**
 * Deletes objects whose owners are all gone, and completes foreground and orphaning deletions.
 * Watches every resource of the catalog.
 */
export function createGarbageCollector(options: GarbageCollectorOptions): Runnable {
  return { run: (signal) => new GarbageCollector(options).run(signal) }
}

interface Watched {
  readonly stop: AbortController
  readonly running: Promise<void>
  readonly synced: Promise<void>
}

class GarbageCollector {
  readonly #options: GarbageCollectorOptions
  readonly #graph = new OwnerGraph()
  readonly #queue = channelSource()
  readonly #watched = new Map<string, Watched>()

  constructor(options: GarbageCollectorOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    const { catalog, clock, log } = this.#options
    const stopAll = (): void => {
      for (const { stop } of this.#watched.values()) stop.abort(signal.reason)
    }
    signal.addEventListener('abort', stopAll, { once: true })
    using _changes = catalog.onChange(() => this.#watchAll(signal))
    this.#watchAll(signal)
    // Foreground deletion must see all dependents: nothing is decided on half a graph.
    await Promise.all([...this.#watched.values()].map(({ synced }) => synced))
    const reconciler: Reconciler = (request, context) => this.#reconcile(request.name, context.signal).then(() => done)
    await createController({ name: 'garbagecollector', reconciler, sources: [this.#queue], concurrency: 8, clock, log }).run(signal)
    stopAll()
    await Promise.all([...this.#watched.values()].map(({ running }) => running))
  }

  #watchAll(signal: AbortSignal): void {
    if (signal.aborted) return
    const wanted = new Map(
      this.#options.catalog
        .resources()
        .filter(isCollected)
        .map((resource) => [groupResourceOf(resource), resource]),
    )
    for (const [key, { stop }] of this.#watched) {
      if (wanted.has(key)) continue
      stop.abort()
      this.#watched.delete(key)
    }
    for (const [key, resource] of wanted) if (!this.#watched.has(key)) this.#watched.set(key, this.#watch(resource))
  }

  #watch(resource: ResourceType<KubeObject>): Watched {
    const { client, clock, log } = this.#options
    const informer = createInformer({ client, clock, log, resource })
    informer.onEvent((event) => this.#onEvent(resource, event))
    const stop = new AbortController()
    const running = informer.run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) log.error({ resource: resource.plural, error }, 'garbage collection cannot watch a resource any more')
    })
    return { stop, running, synced: informer.synced(stop.signal).catch(() => {}) }
  }

  #onEvent(resource: ResourceType<KubeObject>, event: CacheEvent<KubeObject>): void {
    const node = graphNode(resource, event.object)
    if (event.type === 'deleted') {
      this.#graph.remove(node.uid)
      for (const dependent of this.#graph.dependentsOf(node.uid)) this.#enqueue(dependent.uid)
      this.#lookAtWaitingOwners(node)
      return
    }
    const old = this.#graph.set(node)
    if (node.owners.length > 0 || isHeldByUs(node)) this.#enqueue(node.uid)
    if (old !== undefined && old.owners.length > 0) this.#lookAtWaitingOwners(old)
    if (node.owners.length > 0) this.#lookAtWaitingOwners(node)
  }

  #lookAtWaitingOwners(node: GraphNode): void {
    for (const { uid } of node.owners) {
      const owner = this.#graph.get(uid)
      if (owner !== undefined && isHeldByUs(owner)) this.#enqueue(uid)
    }
  }

  #enqueue(uid: string): void {
    this.#queue.enqueue({ namespace: '', name: uid })
  }

  async #reconcile(uid: string, signal: AbortSignal): Promise<void> {
    const node = this.#graph.get(uid)
    if (node === undefined) return
    const dependents = this.#graph
      .dependentsOf(uid)
      .filter((dependent) => dependent.owners.some((owner) => refersTo(owner, dependent, node)))
    const decision = node.deleting ? decideDeleting(node, dependents) : decideLiving(node, await this.#judge(node, signal), dependents)
    try {
      await this.#act(node, decision, signal)
    } catch (error) {
      // Gone already: the watch will tell.
      if (!isNotFound(error)) throw error
    }
  }

  async #judge(node: GraphNode, signal: AbortSignal): Promise<readonly ResolvedOwner[]> {
    return Promise.all(node.owners.map(async (reference) => ({ reference, state: await this.#stateOf(reference, node, signal) })))
  }

  async #stateOf(reference: OwnerReference, node: GraphNode, signal: AbortSignal): Promise<OwnerState> {
    const known = this.#graph.get(reference.uid)
    if (known !== undefined) {
      if (!refersTo(reference, node, known)) {
        if (known.resource.namespaced && known.namespace !== node.namespace) this.#reportForeign(reference, node)
        return 'absent'
      }
      return waitsForDependents(known) ? 'waiting' : 'solid'
    }
    if (this.#graph.isGone(reference.uid)) return 'absent'
    const { group } = parseApiVersion(reference.apiVersion)
    const resource = this.#options.catalog.resources().find((one) => one.group === group && one.kind === reference.kind)
    if (resource === undefined) return 'unresolved'
    // Owners in other namespaces do not count, and a cluster-scoped object has no namespace to look
    // in.
    if (resource.namespaced && node.namespace === '') return 'absent'
    return this.#confirm(
      resource,
      { ...(resource.namespaced ? { namespace: node.namespace } : {}), name: reference.name },
      reference.uid,
      signal,
    )
  }

  #reportForeign({ apiVersion, kind, name, uid }: OwnerReference, node: GraphNode): void {
    const { resource, namespace } = node
    const object: KubeObject = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { namespace, name: node.name, uid: node.uid, resourceVersion: node.resourceVersion },
    }
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
    const message = `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`
    this.#options.recorder?.event(object, 'Warning', 'OwnerRefInvalidNamespace', message)
  }

  /**
   * The graph may lag behind: only the API server knows that an object does not exist.
   */
  async #confirm(resource: ResourceType<KubeObject>, key: ObjectKey, uid: string, signal: AbortSignal): Promise<OwnerState> {
    try {
      const found = await this.#options.client.get(resource, key, { signal })
      if (found.metadata?.uid !== uid) return 'absent'
      return waitsForDependents(graphNode(resource, found)) ? 'waiting' : 'solid'
    } catch (error) {
      if (isNotFound(error)) return 'absent'
      throw error
    }
  }

  async #act(node: GraphNode, decision: GarbageDecision, signal: AbortSignal): Promise<void> {
    switch (decision.kind) {
      case 'nothing':
        return
      case 'dropFinalizer':
        return this.#patch(node, { finalizers: node.finalizers.filter((finalizer) => finalizer !== decision.finalizer) }, signal)
      case 'orphanDependents':
        for (const dependent of decision.dependents) await this.#release(dependent, node, signal)
        return
      case 'lookAtDependents':
        for (const dependent of decision.dependents) if (!dependent.deleting) this.#enqueue(dependent.uid)
        return
      case 'keepOwners':
        return this.#patch(node, { ownerReferences: decision.owners }, signal)
      case 'delete':
        if (decision.unblock) await this.#unblock(node, signal)
        await this.#options.client.delete(node.resource, keyOf(node), {
          propagationPolicy: decision.propagation,
          // The resourceVersion proves that no owner was added meanwhile; our own write has already
          // changed it.
          preconditions: decision.unblock ? { uid: node.uid } : { uid: node.uid, resourceVersion: node.resourceVersion },
          signal,
        })
    }
  }

  async #release(dependent: GraphNode, owner: GraphNode, signal: AbortSignal): Promise<void> {
    try {
      await this.#patch(dependent, { ownerReferences: dependent.owners.filter(({ uid }) => uid !== owner.uid) }, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async #unblock(node: GraphNode, signal: AbortSignal): Promise<void> {
    const ownerReferences = node.owners.map((owner) =>
      owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
    )
    await this.#patch(node, { ownerReferences }, signal)
  }

  async #patch(node: GraphNode, change: object, signal: AbortSignal): Promise<void> {
    const metadata = { uid: node.uid, resourceVersion: node.resourceVersion, ...change }
    await this.#options.client.patch(node.resource, keyOf(node), { type: 'merge', body: { metadata } }, { signal })
  }
}

function isHeldByUs(node: GraphNode): boolean {
  return node.deleting && (node.finalizers.includes(foregroundFinalizer) || node.finalizers.includes(orphanFinalizer))
}

// Events come by the thousand, own nothing, and expire by themselves.
function isCollected(resource: ResourceType<KubeObject>): boolean {
  return resource.kind !== 'Event'
}

function keyOf(node: GraphNode): ObjectKey {
  return node.namespace === '' ? { name: node.name } : { namespace: node.namespace, name: node.name }
}
