import { expired, type FieldError, invalid } from '#apimachinery/errors.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { type Change, type Entry, type Interest, RevisionCompacted } from '#apiserver/storage/object-store.ts'
import type { RequestContext, Target, WatchOutput, WatchQuery } from '#apiserver/request/api-request.ts'
import type { Environment } from '../environment.ts'
import { parseResourceVersion } from '../read/resource-version.ts'
import { parseSelection, type Selection } from '../read/selection.ts'
import { waitForRevision } from '../read/wait-for-revision.ts'
import { restamped } from '../views.ts'
import type { WatchClock } from '../read/watch-clock.ts'
import { WatchSequence } from '../read/watch-sequence.ts'

const bookmarkPeriodMs = 60_000
/**
 * Time before the deadline at which the last bookmark is sent, so that a quiet watch can resume
 * from it.
 */
const lastBookmarkMs = 2000
/**
 * Changes that may wait for a conversion webhook. A watch further behind is closed, and its client
 * resumes.
 */
const conversionBacklog = 1024

type Emit = (output: WatchOutput) => void

/**
 * Emits the changes of a collection as they are committed, from a version on or after the present
 * state. Settles when the watch ends.
 */
export async function watch(
  environment: Environment,
  clock: WatchClock,
  target: Target,
  query: WatchQuery,
  emit: Emit,
  context: RequestContext,
): Promise<void> {
  const selection = parseSelection(target, query)
  const wanted = parseResourceVersion(query.resourceVersion)
  checkWatchQuery(query)
  const withState = query.sendInitialEvents ?? wanted === 0
  if (withState && wanted > environment.store.revision) await waitForRevision(environment, wanted, context)
  if (context.signal.aborted) return
  return new Watcher(environment, target, selection, query, emit).run(clock, withState, wanted, context.signal)
}

/**
 * One watch. Emits in the event-loop turn of the commit, so that no change is missed between state
 * and events. Where a webhook converts, events keep their order and follow their conversion.
 */
class Watcher {
  readonly #environment: Environment
  readonly #selection: Selection
  readonly #query: WatchQuery
  readonly #emit: Emit
  readonly #deadlineMs: number
  #definition: ResourceDefinition
  #registryGeneration: number
  #nextBookmarkMs: number
  /** Everything up to this revision was emitted. */
  #shown: number
  #end: (error?: unknown) => void = () => {}
  /**
   * Created at the first change that needs a conversion; before that, order needs no bookkeeping.
   */
  #sequence: WatchSequence | undefined
  #isReplaying = false
  #ended = false

  constructor(environment: Environment, target: Target, selection: Selection, query: WatchQuery, emit: Emit) {
    this.#environment = environment
    this.#definition = target.definition
    this.#selection = selection
    this.#query = query
    this.#emit = emit
    this.#registryGeneration = environment.registry.generation
    this.#shown = environment.store.revision
    const now = environment.now()
    this.#deadlineMs = query.timeoutSeconds === undefined ? Infinity : now + query.timeoutSeconds * 1000
    this.#nextBookmarkMs = Math.min(now + bookmarkPeriodMs, Math.max(now, this.#deadlineMs - lastBookmarkMs))
  }

  async run(clock: WatchClock, withState: boolean, wanted: number, signal: AbortSignal): Promise<void> {
    const finished = Promise.withResolvers<void>()
    this.#end = (error) => {
      this.#ended = true
      if (error === undefined) finished.resolve()
      else finished.reject(error)
    }
    const stop = (): void => this.#end()
    signal.addEventListener('abort', stop, { once: true })
    const held = new DisposableStack()
    try {
      held.use(withState ? this.#followState() : this.#follow(wanted))
      held.use(clock.add({ tick: (now) => this.#tick(now) }))
      await finished.promise
    } finally {
      this.#ended = true
      this.#sequence?.end()
      held.dispose()
      signal.removeEventListener('abort', stop)
    }
  }

  #followState(): Disposable {
    const { store } = this.#environment
    const { revision } = store
    const state = this.#state()
    this.#perform(state, (definition) => this.#showState(definition, state, revision))
    return store.subscribe(this.#definition.storageKey, undefined, (change) => this.#show(change), this.#interest())
  }

  #showState(definition: ResourceDefinition, state: readonly Entry[], revision: number): void {
    for (const entry of state) {
      if (this.#ended) break
      const view = this.#view(definition, entry)
      if (this.#selection.everything || this.#selection.matches(view.object)) this.#emit({ type: 'ADDED', entry: view })
    }
    if (this.#query.sendInitialEvents === true && this.#query.allowWatchBookmarks && !this.#ended) {
      this.#emit({ type: 'BOOKMARK', revision, initialEventsEnd: true })
    }
  }

  /** Emits now what needs no conversion, and the rest in order. */
  #perform(entries: readonly Entry[], show: (definition: ResourceDefinition) => void): void {
    const definition = this.#definition
    if (this.#sequence === undefined) {
      if (definition.family?.convert === undefined) return show(definition)
      const events = { onError: (error: unknown) => this.#end(error), onOverflow: () => this.#end() }
      this.#sequence = new WatchSequence(this.#environment.views, conversionBacklog, events)
    }
    this.#sequence.push({ definition, entries, isReplay: this.#isReplaying, show })
  }

  #state(): readonly Entry[] {
    const { store } = this.#environment
    const { namespace, name } = this.#selection
    if (namespace === undefined || name === undefined) return store.list(this.#definition.storageKey, namespace)
    const entry = store.get(this.#definition.storageKey, namespace, name)
    return entry === undefined ? [] : [entry]
  }

  #follow(wanted: number): Disposable {
    const { store } = this.#environment
    this.#shown = wanted === 0 ? store.revision : wanted
    // For a version from the future, changes up to it are skipped.
    const after = wanted === 0 || wanted > store.revision ? undefined : wanted
    this.#isReplaying = true
    try {
      return store.subscribe(this.#definition.storageKey, after, (change) => this.#show(change), this.#interest())
    } catch (error) {
      throw error instanceof RevisionCompacted ? expired(`too old resource version: ${wanted} (${error.oldest})`) : error
    } finally {
      this.#isReplaying = false
    }
  }

  /**
   * Lets the store skip irrelevant changes. Watches with the same selector text and definition
   * share the test.
   */
  #interest(): Interest {
    const { namespace, name, everything } = this.#selection
    // Few watches and changes concern one name, so the test would cost more than it saves.
    if (everything || name !== undefined) return { namespace, name }
    const key = `${definitionNumber(this.#definition)} ${this.#query.labelSelector}\n${this.#query.fieldSelector}`
    return { namespace, name, selection: { key, concerns: (change) => this.#concerns(change) } }
  }

  /**
   * Reports whether a change can concern watches with this selector. May report too many: each
   * watch checks for itself.
   */
  #concerns({ type, entry, previous }: Change): boolean {
    if (this.#ended || !this.#refreshDefinition()) return true
    const definition = this.#definition
    if (definition.family?.convert !== undefined) return true
    const { matches } = this.#selection
    if (type !== 'DELETED' && matches(this.#view(definition, entry).object)) return true
    return previous !== undefined && matches(this.#view(definition, previous).object)
  }

  #show(change: Change): void {
    if (this.#ended || change.revision <= this.#shown) return
    this.#shown = change.revision
    const { namespace, name } = this.#selection
    const { metadata } = change.entry.object
    if (namespace !== undefined && namespace !== '' && metadata?.namespace !== namespace) return
    if (name !== undefined && metadata?.name !== name) return
    if (!this.#refreshDefinition()) return
    this.#perform(this.#entriesOf(change), (definition) => this.#showChange(definition, change))
  }

  /**
   * Entries to convert before the change can be shown. A deleted object is shown in its last state.
   */
  #entriesOf({ type, entry, previous }: Change): readonly Entry[] {
    if (previous === undefined) return [entry]
    if (type === 'DELETED') return [previous]
    return this.#selection.everything ? [entry] : [entry, previous]
  }

  #showChange(definition: ResourceDefinition, change: Change): void {
    if (!this.#selection.everything) return this.#showTransition(definition, change)
    const entry = change.type === 'DELETED' ? this.#lastSeen(definition, change) : this.#view(definition, change.entry)
    this.#emit({ type: change.type, entry, change })
  }

  /**
   * Translates a change for a watch with selectors: an object can start or stop matching without
   * being created or deleted.
   */
  #showTransition(definition: ResourceDefinition, change: Change): void {
    const { matches } = this.#selection
    const now = change.type !== 'DELETED' && matches(this.#view(definition, change.entry).object)
    const before = change.previous !== undefined && matches(this.#view(definition, change.previous).object)
    if (now) this.#emit({ type: before ? 'MODIFIED' : 'ADDED', entry: this.#view(definition, change.entry), change })
    else if (before) this.#emit({ type: 'DELETED', entry: this.#lastSeen(definition, change), change })
  }

  /**
   * Last matching state under the revision of the change, so that a watch resumed from there does
   * not repeat it.
   */
  #lastSeen(definition: ResourceDefinition, { type, entry, previous, revision }: Change): Entry {
    const asStored = type === 'DELETED' && definition.family?.convert === undefined
    return previous === undefined || asStored ? this.#view(definition, entry) : restamped(this.#view(definition, previous).object, revision)
  }

  #view(definition: ResourceDefinition, entry: Entry): Entry {
    return this.#environment.views.of(definition, entry)
  }

  /**
   * Follows an updated CustomResourceDefinition. Ends the watch when the resource is no longer
   * served.
   */
  #refreshDefinition(): boolean {
    const { registry } = this.#environment
    if (registry.generation === this.#registryGeneration) return true
    this.#registryGeneration = registry.generation
    const { group, version, plural } = this.#definition
    const definition = registry.find(group, version, plural)
    // A CustomResourceDefinition that was deleted and created again has other objects.
    if (definition === undefined || definition.family?.uid !== this.#definition.family?.uid) {
      this.#end()
      return false
    }
    this.#definition = definition
    return true
  }

  #tick(now: number): void {
    if (this.#ended || !this.#refreshDefinition()) return
    if (this.#query.allowWatchBookmarks && now >= this.#nextBookmarkMs) this.#bookmark(now)
    if (now >= this.#deadlineMs) this.#end()
  }

  #bookmark(now: number): void {
    // A bookmark promises that everything before it was sent.
    if (this.#sequence?.isIdle === false) return
    const { revision } = this.#environment.store
    // The next bookmark is due in a minute, or shortly before the deadline.
    const last = this.#deadlineMs - lastBookmarkMs
    this.#nextBookmarkMs = now >= last ? Infinity : Math.min(now + bookmarkPeriodMs, last)
    if (revision >= this.#shown) this.#emit({ type: 'BOOKMARK', revision, initialEventsEnd: false })
  }
}

const definitionNumbers = new WeakMap<ResourceDefinition, number>()
let definitionCount = 0

/**
 * Distinguishes definitions in the key of shared selectors: selectable fields may change with the
 * definition.
 */
function definitionNumber(definition: ResourceDefinition): number {
  const known = definitionNumbers.get(definition)
  if (known !== undefined) return known
  definitionCount += 1
  definitionNumbers.set(definition, definitionCount)
  return definitionCount
}

function checkWatchQuery({ sendInitialEvents, resourceVersionMatch }: WatchQuery): void {
  if (sendInitialEvents === undefined && resourceVersionMatch !== '') {
    refuse('resourceVersionMatch', 'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
  }
  if (sendInitialEvents !== undefined && resourceVersionMatch !== 'NotOlderThan') {
    refuse('resourceVersionMatch', 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
}

function refuse(field: string, message: string): never {
  const error: FieldError = { reason: 'FieldValueForbidden', field, message }
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [error])
}
