import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ServiceAccountTokens } from '#apiserver/service-accounts/service-account-tokens.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { RequestContext, Target, Verbs } from '../request/api-request.ts'
import { connect } from './verbs/connect.ts'
import { create } from './verbs/create.ts'
import { deleteCollection } from './verbs/delete-collection.ts'
import { deleteObject } from './write/delete-object.ts'
import type { Environment } from './environment.ts'
import { get } from './verbs/get.ts'
import { list } from './verbs/list.ts'
import { patch } from './verbs/patch.ts'
import { systemTimers, type Timers } from '../request/timers.ts'
import { update } from './verbs/update.ts'
import { createViews } from './views.ts'
import { watch } from './verbs/watch.ts'
import { WatchClock } from './read/watch-clock.ts'

/** Dependencies of {@link createVerbs}. */
export interface VerbsOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  /** In order; all mutators run before validators. */
  readonly admission: readonly AdmissionPlugin[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly randomUuid: () => string
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /** Default: the process's timers. */
  readonly timers?: Timers
  /** Issues service-account tokens. Default: TokenRequest is not served. */
  readonly accountTokens?: ServiceAccountTokens
}

/**
 * Implements the API's verbs over a store: the package's entry point, used by the HTTP front and by
 * the in-process client. It includes admission, and neither authentication nor authorization.
 */
export function createVerbs(options: VerbsOptions): Verbs {
  const environment: Environment = {
    ...options,
    timers: options.timers ?? systemTimers,
    views: createViews(),
    accountTokens: options.accountTokens,
  }
  const clock = new WatchClock(environment.timers, environment.now)
  return {
    async get(target, context, query) {
      announce(target, context)
      return get(environment, target, context, query)
    },
    async connect(target, options_, context) {
      announce(target, context)
      return connect(environment, target, options_, context)
    },
    list(target, query, context) {
      announce(target, context)
      return list(environment, target, query, context)
    },
    watch(target, query, emit, context) {
      announce(target, context)
      return watch(environment, clock, target, query, emit, context)
    },
    create(target, body, mutation, context) {
      announce(target, context)
      return create(environment, target, body, mutation, context)
    },
    async update(target, body, mutation, context) {
      announce(target, context)
      return update(environment, target, body, mutation, context)
    },
    patch(target, change, mutation, context) {
      announce(target, context)
      return patch(environment, target, change, mutation, context)
    },
    delete(target, query, context) {
      announce(target, context)
      return deleteObject(environment, target, query, context)
    },
    deleteCollection(target, query, options_, context) {
      announce(target, context)
      return deleteCollection(environment, target, query, options_, context)
    },
  }
}

function announce({ definition }: Target, context: RequestContext): void {
  if (definition.deprecationWarning !== undefined) context.warn(definition.deprecationWarning)
}
