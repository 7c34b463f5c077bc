import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { defaultPriorities } from '#apiserver/discovery/group-priorities.ts'
import type { RequestContext, Verbs } from '#apiserver/request/api-request.ts'
import { definitionsKey } from '#apiserver/extensions/taken-names.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { apiServicesKey } from './api-services.ts'
import { decideApiServices, type ServedGroupVersion } from './decide-api-services.ts'

/** Options of {@link registerLocalApiServices}. */
export interface LocalApiServicesOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  /** Group versions that are served without being stored. */
  readonly virtual: readonly { readonly group: string; readonly version: string }[]
  /** Called when APIServices could not be written; the next change tries again. */
  readonly onError: (error: unknown) => void
}

/** APIServices of local group versions. Disposal stops following. */
export interface LocalApiServices extends Disposable {
  /** Resolves when they match what is served now. */
  settled(): Promise<void>
}

/** The aggregator's own group has no APIService, so that it cannot be replaced. */
const ownGroup = 'apiregistration.k8s.io'

function servedGroupVersions({ registry, virtual }: LocalApiServicesOptions): ServedGroupVersion[] {
  const served = new Map<string, ServedGroupVersion>()
  for (const { group, version, custom } of [...virtual.map((item) => ({ ...item, custom: false })), ...registry.all()]) {
    const key = `${group}/${version}`
    if (group !== ownGroup && !served.has(key)) served.set(key, { group, version, custom })
  }
  return [...served.values()]
}

/**
 * Creates an APIService for each local group version, and deletes it with the last resource of the
 * version.
 */
export function registerLocalApiServices(options: LocalApiServicesOptions): LocalApiServices {
  const { store, registry, verbs, onError } = options
  const held = new DisposableStack()
  const stopped = new AbortController()
  held.defer(() => stopped.abort())
  const context: RequestContext = {
    user: { username: 'system:kube-aggregator', groups: ['system:masters'] },
    warn: () => {},
    signal: stopped.signal,
    fieldManager: 'kube-aggregator',
  }
  const mutation = { dryRun: false, fieldValidation: 'Ignore' } as const
  let starting = true
  let due = false
  let running: Promise<void> | undefined

  const bringForward = async (definition: ResourceDefinition): Promise<void> => {
    const found = store.list(apiServicesKey).map(({ object }) => object as APIService)
    const { create, update, remove } = decideApiServices(servedGroupVersions(options), found, defaultPriorities, starting)
    const target = (name: string) => ({ definition, namespace: '', name, subresource: '' })
    // Concurrent, so that they share a commit.
    await Promise.all([
      ...create.map((object) => verbs.create(target(''), { object, duplicates: [] }, mutation, context)),
      ...update.map((object) => verbs.update(target(object.metadata.name ?? ''), { object, duplicates: [] }, mutation, context)),
      ...remove.map(({ metadata: { name = '', uid = '' } }) =>
        verbs.delete(target(name), { dryRun: false, preconditions: { uid } }, context),
      ),
    ])
    starting = false
  }

  const work = async (): Promise<void> => {
    while (due && !held.disposed) {
      due = false
      const definition = registry.find(ownGroup, 'v1', 'apiservices')
      if (definition === undefined) return
      try {
        await bringForward(definition)
      } catch (error) {
        // The competing write triggers this function again.
        if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) onError(error)
      }
    }
  }
  const schedule = (): void => {
    due = true
    running ??= Promise.resolve()
      .then(work)
      .finally(() => (running = undefined))
  }

  // Subscribed after the custom resources, so that the registry is already up to date.
  held.use(store.subscribe(definitionsKey, undefined, schedule))
  held.use(store.subscribe(apiServicesKey, undefined, schedule))
  schedule()
  return {
    async settled() {
      while (running !== undefined) await running
    },
    [Symbol.dispose]: () => held.dispose(),
  }
}
