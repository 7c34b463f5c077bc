import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { type FieldError, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { checkStructure } from '#apimachinery/structural/definition/structural-rules.ts'
import type { RequestContext, Target, Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { systemTimers, type Timers } from '#apiserver/request/timers.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { Change, ObjectStore } from '#apiserver/storage/object-store.ts'
import { createWebhookCaller, type ServiceResolver } from '#apiserver/admission/webhooks/webhook-caller.ts'
import type { ConversionPorts } from './conversion/conversion-webhook.ts'
import { customVersions } from './custom-resources.ts'
import { cleanupFinalizer } from './definition-strategy.ts'
import { definitionStatus } from './definition-status.ts'
import { deleteInstances } from './delete-instances.ts'
import { definitionsKey, type GrantedNames, takenNames } from './taken-names.ts'
import { type Termination, terminatingStatus } from './terminating-status.ts'

const firstRetryMs = 1000
const longestRetryMs = 60_000

/** Options of {@link serveCustomResources}. */
export interface CustomResourcesOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly randomUuid: () => string
  /** Resolves the service of a conversion webhook. Default: only URLs work. */
  readonly resolveService?: ServiceResolver
  /** Default: the process's timers. */
  readonly timers?: Timers
  /** Called when a definition could not be reconciled; it is retried with back-off. */
  readonly onError: (error: unknown) => void
}

/** Served custom resources. Disposal stops following definitions. */
export interface CustomResources extends Disposable {
  /** Resolves when every definition has its final status. */
  settled(): Promise<void>
}

/**
 * Serves CustomResourceDefinitions. The registry is updated synchronously with the commit of a
 * definition, so that clients that see it established can use it; status and cleanup follow
 * asynchronously. It is the entry point of this package.
 */
export function serveCustomResources(options: CustomResourcesOptions): CustomResources {
  return new Follower(options)
}

class Follower implements CustomResources {
  readonly #options: CustomResourcesOptions
  readonly #held = new DisposableStack()
  /** Registered definitions by name of the CustomResourceDefinition. */
  readonly #served = new Map<string, { readonly shape: string; readonly definitions: readonly ResourceDefinition[] }>()
  /** Names to reconcile, again if reconciled right now. */
  readonly #due = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  /** Subscriptions to the remaining objects of terminating definitions. */
  readonly #dying = new Map<string, Disposable>()
  readonly #context: RequestContext
  readonly #conversion: ConversionPorts
  readonly #granted = new Map<string, { readonly group: string; readonly names: CustomResourceDefinitionNames }>()
  /** Definitions with a changed spec, whose schemas are checked again. */
  readonly #changed = new Set<string>()
  /** Failures and next retry of each definition. */
  readonly #retries = new Map<string, { readonly failures: number; readonly timer: Disposable }>()

  constructor(options: CustomResourcesOptions) {
    this.#options = options
    const stopped = new AbortController()
    this.#held.defer(() => stopped.abort())
    const caller = this.#held.use(createWebhookCaller(options.resolveService ?? (() => undefined)))
    this.#conversion = { caller, randomUuid: options.randomUuid }
    this.#context = internalContext('system:apiserver', 'apiserver', stopped.signal)
    for (const { object } of options.store.list(definitionsKey)) this.#register(object as CustomResourceDefinition)
    this.#held.use(options.store.subscribe(definitionsKey, undefined, (change) => this.#follow(change)))
    for (const { object } of options.store.list(definitionsKey)) this.#schedule(object.metadata?.name ?? '')
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  [Symbol.dispose](): void {
    this.#due.clear()
    for (const watch of this.#dying.values()) watch[Symbol.dispose]()
    this.#dying.clear()
    for (const { timer } of this.#retries.values()) timer[Symbol.dispose]()
    this.#retries.clear()
    this.#held.dispose()
  }

  #follow(change: Change): void {
    const crd = change.entry.object as CustomResourceDefinition
    const before = change.previous?.object as CustomResourceDefinition | undefined
    const name = nameOf(crd)
    if (change.type === 'DELETED') this.#unregister(crd)
    else this.#register(crd)
    const isOther = before?.metadata?.generation !== crd.metadata?.generation
    if (isOther) this.#changed.add(name)
    // The status write after a failure must not cause a retry at once.
    if (isOther || !this.#retries.has(name)) this.#schedule(name)
    if (change.type === 'DELETED' || !deepEqual(before?.status?.acceptedNames, crd.status?.acceptedNames)) this.#scheduleWaiting(crd)
  }

  /** Reconciles other definitions of the group, which may wait for released names. */
  #scheduleWaiting({ spec }: CustomResourceDefinition): void {
    for (const { object } of this.#options.store.list(definitionsKey)) {
      const other = object as CustomResourceDefinition
      if (other.spec.group === spec.group && !isTrue(other.status?.conditions, 'NamesAccepted')) this.#schedule(nameOf(other))
    }
  }

  #register(crd: CustomResourceDefinition): void {
    const before = this.#served.get(nameOf(crd))
    const text = shapeOf(crd)
    // A status update must not replace definitions, on which views and compiled schemas are cached.
    if (before?.shape === text) return
    const definitions = this.#definitionsOf(crd)
    for (const old of before?.definitions ?? []) if (!definitions.some(({ version }) => version === old.version)) this.#remove(old)
    for (const definition of definitions) this.#options.registry.add(definition)
    this.#served.set(nameOf(crd), { shape: text, definitions })
  }

  #definitionsOf(crd: CustomResourceDefinition): readonly ResourceDefinition[] {
    if (!isTrue(crd.status?.conditions, 'Established')) return []
    try {
      const versions = customVersions(crd, this.#conversion).filter(({ served }) => served)
      return versions.map(({ definition }) => definition)
    } catch (error) {
      // A definition older than a rule may be invalid; the others are served all the same.
      this.#options.onError(error)
      return []
    }
  }

  #unregister(crd: CustomResourceDefinition): void {
    for (const definition of this.#served.get(nameOf(crd))?.definitions ?? []) this.#remove(definition)
    this.#served.delete(nameOf(crd))
    this.#dying.get(nameOf(crd))?.[Symbol.dispose]()
    this.#dying.delete(nameOf(crd))
  }

  #remove({ group, version, plural }: ResourceDefinition): void {
    this.#options.registry.remove(group, version, plural)
  }

  #schedule(name: string): void {
    if (this.#held.disposed) return
    this.#due.add(name)
    if (this.#running.has(name)) return
    const running = this.#work(name).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
  }

  async #work(name: string): Promise<void> {
    while (this.#due.delete(name)) {
      const object = this.#options.store.get(definitionsKey, '', name)?.object
      if (object === undefined) continue
      try {
        await this.#bringForward(object as CustomResourceDefinition)
        this.#forgetRetry(name)
      } catch (error) {
        // The competing write triggers this function again.
        if (isConflict(error) || isNotFound(error)) continue
        this.#options.onError(error)
        this.#retry(name)
      }
    }
  }

  #forgetRetry(name: string): void {
    this.#retries.get(name)?.timer[Symbol.dispose]()
    this.#retries.delete(name)
  }

  #retry(name: string): void {
    if (this.#held.disposed) return
    const before = this.#retries.get(name)
    before?.timer[Symbol.dispose]()
    const failures = (before?.failures ?? 0) + 1
    const ms = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs)
    this.#retries.set(name, { failures, timer: (this.#options.timers ?? systemTimers).after(ms, () => this.#schedule(name)) })
  }

  async #bringForward(crd: CustomResourceDefinition): Promise<void> {
    const { store, registry, now } = this.#options
    const name = nameOf(crd)
    if (isBeingDeleted(crd)) return this.#cleanUp(crd)
    const violations = this.#changed.delete(name) ? violationsOf(crd) : undefined
    const status = definitionStatus(crd, takenNames(store, registry, crd, this.#granted satisfies GrantedNames), rfc3339(now()), violations)
    if (status.acceptedNames !== undefined) this.#granted.set(name, { group: crd.spec.group, names: status.acceptedNames })
    try {
      await this.#writeStatus(crd, status)
    } finally {
      this.#granted.delete(name)
    }
  }

  async #writeStatus(crd: CustomResourceDefinition, status: CustomResourceDefinitionStatus): Promise<void> {
    if (!deepEqual(status, crd.status)) await this.#update(crd, { ...crd, status }, 'status')
  }

  async #update(crd: CustomResourceDefinition, next: CustomResourceDefinition, subresource: string): Promise<void> {
    const target = this.#targetOf(crd, subresource)
    if (target === undefined) return
    await this.#options.verbs.update(target, { object: next, duplicates: [] }, internalMutation, this.#context)
  }

  #targetOf(crd: CustomResourceDefinition, subresource: string): Target | undefined {
    const definition = this.#options.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    return definition === undefined ? undefined : { definition, namespace: '', name: nameOf(crd), subresource }
  }

  /** Deletes the objects, waits for those with finalizers, then removes the cleanup finalizer. */
  async #cleanUp(crd: CustomResourceDefinition): Promise<void> {
    if (crd.metadata?.finalizers?.includes(cleanupFinalizer) !== true) return
    const versions = customVersions(crd, this.#conversion)
      .toSorted((a, b) => Number(b.storage) - Number(a.storage))
      .map(({ definition }) => definition)
    const [storage] = versions
    if (storage !== undefined) this.#awaitEnd(crd, storage)
    const remaining = await this.#deleteInstances(crd, versions)
    if (remaining > 0) return this.#writeTermination(crd, { stage: 'inProgress' })
    const finalizers = crd.metadata.finalizers.filter((finalizer) => finalizer !== cleanupFinalizer)
    // Written for other holders of finalizers; this write triggers the function again.
    const isTold = findCondition(crd.status?.conditions, 'Terminating')?.reason === 'InstanceDeletionCompleted'
    if (finalizers.length > 0 && !isTold) return this.#writeTermination(crd, { stage: 'completed' })
    await this.#update(crd, { ...crd, metadata: { ...crd.metadata, finalizers } }, '')
  }

  async #deleteInstances(crd: CustomResourceDefinition, versions: readonly ResourceDefinition[]): Promise<number> {
    try {
      return await deleteInstances(this.#options, versions, this.#context)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      await this.#writeTermination(crd, { stage: 'failed', why })
      throw error
    }
  }

  #writeTermination(crd: CustomResourceDefinition, termination: Termination): Promise<void> {
    return this.#writeStatus(crd, terminatingStatus(crd, termination, rfc3339(this.#options.now())))
  }

  #awaitEnd(crd: CustomResourceDefinition, definition: ResourceDefinition): void {
    const name = nameOf(crd)
    if (this.#dying.has(name) || this.#held.disposed) return
    const watch = this.#options.store.subscribe(definition.storageKey, undefined, ({ type }) => {
      if (type === 'DELETED' && this.#options.store.list(definition.storageKey).length === 0) this.#schedule(name)
    })
    this.#dying.set(name, watch)
  }
}

function nameOf(crd: CustomResourceDefinition): string {
  return crd.metadata?.name ?? ''
}

function violationsOf({ spec }: CustomResourceDefinition): readonly FieldError[] {
  return spec.versions.flatMap(({ schema }, index) =>
    schema?.openAPIV3Schema === undefined ? [] : checkStructure(schema.openAPIV3Schema, `spec.versions[${index}].schema.openAPIV3Schema`),
  )
}

/** Serializes the parts that determine what is served. */
function shapeOf({ metadata, status }: CustomResourceDefinition): string {
  const established = isTrue(status?.conditions, 'Established')
  return JSON.stringify([metadata?.uid, metadata?.generation, isBeingDeleted({ metadata }), established, status?.acceptedNames])
}
