import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { defaultPriorities } from '#apiserver/discovery/group-priorities.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import { definitionsKey } from '#apiserver/extensions/taken-names.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { type AfterChanges, runAfterChanges } from '#apiserver/storage/run-after-changes.ts'
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
export function registerLocalApiServices(options: LocalApiServicesOptions): AfterChanges {
  const { store, registry, verbs, onError } = options
  let starting = true

  const pass = async (signal: AbortSignal): Promise<void> => {
    const definition = registry.find(ownGroup, 'v1', 'apiservices')
    if (definition === undefined) return
    const context = internalContext('system:kube-aggregator', 'kube-aggregator', signal)
    const found = store.list(apiServicesKey).map(({ object }) => object as APIService)
    const { create, update, remove } = decideApiServices(servedGroupVersions(options), found, defaultPriorities, starting)
    const target = (name: string) => ({ definition, namespace: '', name, subresource: '' })
    // Concurrent, so that they share a commit.
    await Promise.all([
      ...create.map((object) => verbs.create(target(''), { object, duplicates: [] }, internalMutation, context)),
      ...update.map((object) => verbs.update(target(object.metadata.name ?? ''), { object, duplicates: [] }, internalMutation, context)),
      ...remove.map(({ metadata: { name = '', uid = '' } }) =>
        verbs.delete(target(name), { dryRun: false, preconditions: { uid } }, context),
      ),
    ])
    starting = false
  }
  // Subscribed after the custom resources, so that the registry is already up to date.
  return runAfterChanges({ store, keys: [definitionsKey, apiServicesKey], pass, onError })
}
