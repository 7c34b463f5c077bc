import { randomUUID } from 'node:crypto'

import { deepFreeze } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { withType } from '#apimachinery/meta/resource-type.ts'
import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import { createNamespaceLifecycle } from '#apiserver/admission/namespaces/namespace-lifecycle.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { defineResource, type ResourceDraft } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { ManualTime, openForTest, scratch } from '#apiserver/storage/store.fixture.ts'
import type { ObjectStoreOptions } from '#apiserver/storage/store-options.ts'
import type { ListQuery, MutationOptions, RequestContext, Target, Verbs, WatchQuery } from '../request/api-request.ts'
import { createVerbs } from './verbs.ts'

/** An object without static types. */
export type Loose = KubeObject & { spec?: unknown; status?: unknown; [key: string]: unknown }

/** Verbs over a store, without HTTP. */
export interface TestServer extends AsyncDisposable {
  readonly verbs: Verbs
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly time: ManualTime
  readonly context: RequestContext
  /** Warnings so far. */
  readonly warnings: string[]
  definition(plural: string): ResourceDefinition
  target(plural: string, name?: string, subresource?: string, namespace?: string): Target
  create(plural: string, object: Loose, options?: Partial<MutationOptions>): Promise<Loose>
  update(plural: string, object: Loose, subresource?: string): Promise<Loose>
  get(plural: string, name: string, namespace?: string): Promise<Loose>
}

/** A custom kind with a status, a scale, defaults and rules. */
const widgetDraft: ResourceDraft = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  custom: true,
  hasStatus: true,
  hasGeneration: true,
  unconditionalUpdate: false,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          color: { type: 'string', enum: ['red', 'green', 'blue'] },
          size: { type: 'integer', default: 3, maximum: 10 },
          replicas: { type: 'integer' },
          parts: { type: 'array', items: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      status: {
        type: 'object',
        properties: { phase: { type: 'string' }, replicas: { type: 'integer' }, selector: { type: 'string' } },
      },
    },
  },
  selectableFields: new Map([['spec.color', (object) => (object as { spec?: { color?: string } }).spec?.color ?? '']]),
}

/** Store options that compact history as soon as possible. */
export const shortHistory: Partial<ObjectStoreOptions> = {
  retention: { changes: 1, ageMs: 1, bytes: 1 },
  ring: { changes: 1, ageMs: 1, bytes: 1 },
}

export const noListQuery: ListQuery = {
  labelSelector: '',
  fieldSelector: '',
  limit: 0,
  continue: '',
  resourceVersion: '',
  resourceVersionMatch: '',
}
export const noWatchQuery: WatchQuery = { ...noListQuery, allowWatchBookmarks: false, sendInitialEvents: undefined }

const start = Date.parse('2026-11-21T10:00:00Z')

/**
 * Starts the verbs with the built-in kinds, widgets, gadgets (a custom kind without status) and the
 * namespaces default and other.
 */
export async function startTestServer(
  plugins: readonly AdmissionPlugin[] = [],
  storeOptions: Partial<ObjectStoreOptions> = {},
): Promise<TestServer> {
  const directory = scratch()
  const time = new ManualTime(start)
  const store = openForTest(directory.file, { now: time.now, after: time.after, ...storeOptions })
  const gadget: ResourceDraft = { ...widgetDraft, kind: 'Gadget', plural: 'gadgets', hasStatus: false }
  const registry = createResourceRegistry([...builtinDefinitions(), defineResource(widgetDraft), defineResource(gadget)])
  const admission = [createNamespaceLifecycle(store), ...plugins]
  const verbs = createVerbs({
    store,
    registry,
    admission,
    now: time.now,
    randomUuid: () => randomUUID(),
    random: sequence(),
    timers: time,
  })
  const warnings: string[] = []
  const context: RequestContext = {
    user: { username: 'tester', groups: ['system:masters'] },
    warn: (text) => void warnings.push(text),
    signal: new AbortController().signal,
    fieldManager: 'test',
  }
  const definition = (plural: string): ResourceDefinition => {
    const found = registry.all().find((each) => each.plural === plural)
    if (found === undefined) throw new TypeError(`no resource "${plural}"`)
    return found
  }
  const target = (plural: string, name = '', subresource = '', namespace = 'default'): Target => {
    const found = definition(plural)
    return { definition: found, namespace: found.namespaced ? namespace : '', name, subresource }
  }
  // Bodies of custom resources need a type; a test may leave it out.
  const typed = (plural: string, object: KubeObject): KubeObject => deepFreeze(withType(definition(plural), object))
  const options = (given: Partial<MutationOptions> = {}): MutationOptions => ({ dryRun: false, fieldValidation: 'Strict', ...given })
  const server: TestServer = {
    verbs,
    store,
    registry,
    time,
    context,
    warnings,
    definition,
    target,
    // Arguments and results are frozen: neither side may mutate them.
    create: async (plural, object, given) => {
      const place = target(plural, '', '', object.metadata?.namespace)
      return frozen(await verbs.create(place, { object: typed(plural, object), duplicates: [] }, options(given), context))
    },
    update: async (plural, object, subresource = '') => {
      const place = target(plural, object.metadata?.name, subresource, object.metadata?.namespace)
      return frozen(await verbs.update(place, { object: typed(plural, object), duplicates: [] }, options(), context))
    },
    get: async (plural, name, namespace) => frozen(await verbs.get(target(plural, name, '', namespace), context)),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      directory[Symbol.dispose]()
    },
  }
  for (const name of ['default', 'other']) await server.create('namespaces', { metadata: { name } })
  return server
}

/** Reproducible pseudo-random numbers. */
function sequence(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

function frozen(entry: { readonly object: KubeObject }): Loose {
  return deepFreeze(entry.object) as Loose
}
