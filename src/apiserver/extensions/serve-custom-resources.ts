import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { RequestContext, Target, Verbs } from '#apiserver/endpoints/api-request.ts'
import { rfc3339 } from '#apiserver/endpoints/identity.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { Change, ObjectStore } from '#apiserver/storage/object-store.ts'
import { createWebhookCaller, type ServiceResolver } from '#apiserver/admission/webhooks/webhook-caller.ts'
import type { ConversionPorts } from './conversion/conversion-webhook.ts'
import { customVersions } from './custom-resources.ts'
import { cleanupFinalizer } from './definition-strategy.ts'
import { definitionStatus, terminatingStatus } from './definition-status.ts'
import { definitionsKey, takenNames } from './taken-names.ts'

/** What {@link serveCustomResources} works with. */
export interface CustomResourcesOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly randomUuid: () => string
  /** Finds the address of a service that a conversion webhook names. Default: none is found, only URLs work. */
  readonly resolveService?: ServiceResolver
  /** Told when a definition could not be brought forward; it is tried again at its next change. */
  readonly onError: (error: unknown) => void
}

/** Custom resources that are served. Disposal stops following definitions. */
export interface CustomResources extends Disposable {
  /** Resolves when every definition has the status that it should have. */
  settled(): Promise<void>
}

/**
 * Serves what CustomResourceDefinitions define. The registry follows the store in the very turn in which a definition is committed, so that whoever
 * sees a definition established can use it; status and cleaning up follow by themselves.
 */
export function serveCustomResources(options: CustomResourcesOptions): CustomResources {
  return new Follower(options)
}

class Follower implements CustomResources {
  readonly #options: CustomResourcesOptions
  readonly #held = new DisposableStack()
  /** Definitions in the registry, by the name of the CustomResourceDefinition. */
  readonly #served = new Map<string, { readonly shape: string; readonly definitions: readonly ResourceDefinition[] }>()
  /** Definitions that must be looked at, once more for those at which somebody is looking. */
  readonly #due = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  /** Watches for the last objects of definitions that are being deleted. */
  readonly #dying = new Map<string, Disposable>()
  readonly #context: RequestContext
  readonly #conversion: ConversionPorts

  constructor(options: CustomResourcesOptions) {
    this.#options = options
    const stopped = new AbortController()
    this.#held.defer(() => stopped.abort())
    const caller = this.#held.use(createWebhookCaller(options.resolveService ?? (() => undefined)))
    this.#conversion = { caller, randomUuid: options.randomUuid }
    this.#context = {
      user: { username: 'system:apiserver', groups: ['system:masters'] },
      warn: () => {},
      signal: stopped.signal,
      fieldManager: 'apiserver',
    }
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
    this.#held.dispose()
  }

  #follow(change: Change): void {
    const crd = change.entry.object as CustomResourceDefinition
    if (change.type === 'DELETED') this.#unregister(crd)
    else this.#register(crd)
    this.#schedule(nameOf(crd))
    // Names that this one gave up or did not get may be what another is waiting for.
    if (change.type === 'DELETED')
      for (const { object } of this.#options.store.list(definitionsKey)) this.#schedule(object.metadata?.name ?? '')
  }

  #register(crd: CustomResourceDefinition): void {
    const before = this.#served.get(nameOf(crd))
    const text = shapeOf(crd)
    // Views and compiled schemas hang on the definitions: a change of the status is no reason to make all of that anew.
    if (before?.shape === text) return
    const established = isTrue(crd.status?.conditions, 'Established')
    const versions = established ? customVersions(crd, this.#conversion).filter(({ served }) => served) : []
    const definitions = versions.map(({ definition }) => definition)
    for (const old of before?.definitions ?? []) if (!definitions.some(({ version }) => version === old.version)) this.#remove(old)
    for (const definition of definitions) this.#options.registry.add(definition)
    this.#served.set(nameOf(crd), { shape: text, definitions })
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
      } catch (error) {
        // Whoever wrote first made a change, and that change comes here again.
        if (!isConflict(error) && !isNotFound(error)) this.#options.onError(error)
      }
    }
  }

  async #bringForward(crd: CustomResourceDefinition): Promise<void> {
    const { store, registry, now } = this.#options
    if (crd.metadata?.deletionTimestamp !== undefined) return this.#cleanUp(crd)
    await this.#writeStatus(crd, definitionStatus(crd, takenNames(store, registry, crd), rfc3339(now())))
  }

  async #writeStatus(crd: CustomResourceDefinition, status: CustomResourceDefinitionStatus): Promise<void> {
    if (!deepEqual(status, crd.status)) await this.#update(crd, { ...crd, status }, 'status')
  }

  async #update(crd: CustomResourceDefinition, next: CustomResourceDefinition, subresource: string): Promise<void> {
    const target = this.#targetOf(crd, subresource)
    if (target === undefined) return
    await this.#options.verbs.update(target, { object: next, duplicates: [] }, { dryRun: false, fieldValidation: 'Ignore' }, this.#context)
  }

  #targetOf(crd: CustomResourceDefinition, subresource: string): Target | undefined {
    const definition = this.#options.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    return definition === undefined ? undefined : { definition, namespace: '', name: nameOf(crd), subresource }
  }

  /** Deletes the objects first, then lets the definition go. Objects that somebody holds are waited for. */
  async #cleanUp(crd: CustomResourceDefinition): Promise<void> {
    if (crd.metadata?.finalizers?.includes(cleanupFinalizer) !== true) return
    const { store, now } = this.#options
    const definition = customVersions(crd, this.#conversion).find(({ storage }) => storage)?.definition
    if (definition === undefined) return
    this.#awaitEnd(crd, definition)
    await this.#deleteObjects(definition)
    const remaining = store.list(definition.storageKey).length
    const status = terminatingStatus(crd, remaining, rfc3339(now()))
    if (remaining > 0) return this.#writeStatus(crd, status)
    const finalizers = crd.metadata.finalizers.filter((finalizer) => finalizer !== cleanupFinalizer)
    await this.#update(crd, { ...crd, metadata: { ...crd.metadata, finalizers } }, '')
  }

  #awaitEnd(crd: CustomResourceDefinition, definition: ResourceDefinition): void {
    const name = nameOf(crd)
    if (this.#dying.has(name) || this.#held.disposed) return
    const watch = this.#options.store.subscribe(definition.storageKey, undefined, ({ type }) => {
      if (type === 'DELETED' && this.#options.store.list(definition.storageKey).length === 0) this.#schedule(name)
    })
    this.#dying.set(name, watch)
  }

  async #deleteObjects(definition: ResourceDefinition): Promise<void> {
    const { store, verbs } = this.#options
    const ask = store.list(definition.storageKey).filter(({ object }) => object.metadata?.deletionTimestamp === undefined)
    await Promise.all(ask.map(({ object }) => deleteQuietly(verbs, targetOfObject(definition, object), this.#context)))
  }
}

function nameOf(crd: CustomResourceDefinition): string {
  return crd.metadata?.name ?? ''
}

function targetOfObject(definition: ResourceDefinition, { metadata }: KubeObject): Target {
  return { definition, namespace: metadata?.namespace ?? '', name: metadata?.name ?? '', subresource: '' }
}

async function deleteQuietly(verbs: Verbs, target: Target, context: RequestContext): Promise<void> {
  try {
    await verbs.delete(target, { dryRun: false }, context)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Everything of a CustomResourceDefinition that shapes what is served. */
function shapeOf({ metadata, status }: CustomResourceDefinition): string {
  const established = isTrue(status?.conditions, 'Established')
  return JSON.stringify([
    metadata?.uid,
    metadata?.generation,
    metadata?.deletionTimestamp !== undefined,
    established,
    status?.acceptedNames,
  ])
}
