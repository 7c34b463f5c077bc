import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { Priorities } from '#apiserver/discovery/group-priorities.ts'
import { defaultPriorities } from '#apiserver/discovery/group-priorities.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { apiServiceName } from './decide-api-services.ts'

/** Storage key of APIServices. */
export const apiServicesKey = 'apiregistration.k8s.io/apiservices'

/** A group version of an extension API server. */
export interface RemoteApi {
  /** Name of the APIService. */
  readonly name: string
  readonly group: string
  readonly version: string
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number }
  /** PEM; empty: the system's CAs. */
  readonly ca: string
  readonly insecure: boolean
  readonly available: boolean
}

/** In-memory index of APIServices by group and version. */
export interface ApiServices extends Disposable {
  /** Returns the extension API server of a group version; undefined when it is local. */
  remote(group: string, version: string): RemoteApi | undefined
  remotes(): readonly RemoteApi[]
  readonly priorities: Priorities
  /** Increments when discovery must change. */
  readonly generation: number
  /** Calls back synchronously with the names of APIServices that were added, changed or deleted. */
  onChange(callback: (name: string) => void): void
}

/**
 * Returns the extension API server of an APIService; undefined when it is local. The core group and
 * apiregistration.k8s.io are always local.
 */
function remoteOf({ metadata, spec, status }: APIService): RemoteApi | undefined {
  const { service, group = '', version = '', caBundle = '', insecureSkipTLSVerify = false } = spec ?? {}
  if (service === undefined || service === null || group === '' || group === 'apiregistration.k8s.io') return undefined
  const { namespace = '', name = '', port = 443 } = service
  return {
    name: metadata.name ?? '',
    group,
    version,
    service: { namespace, name, port },
    ca: Buffer.from(caBundle, 'base64').toString(),
    insecure: insecureSkipTLSVerify,
    available: isTrue(status?.conditions, 'Available'),
  }
}

/** Follows the APIServices of a store. */
export function followApiServices(store: ObjectStore): ApiServices {
  const byGroup = new Map<string, Map<string, RemoteApi>>()
  const callbacks: ((name: string) => void)[] = []
  let generation = 0

  const forget = ({ spec }: APIService): void => {
    const versions = byGroup.get(spec?.group ?? '')
    versions?.delete(spec?.version ?? '')
    if (versions?.size === 0) byGroup.delete(spec?.group ?? '')
  }
  const take = (object: APIService): void => {
    const remote = remoteOf(object)
    if (remote === undefined) return forget(object)
    const versions = byGroup.get(remote.group) ?? new Map<string, RemoteApi>()
    byGroup.set(remote.group, versions.set(remote.version, remote))
  }
  for (const { object } of store.list(apiServicesKey)) take(object as APIService)
  const subscription = store.subscribe(apiServicesKey, undefined, ({ type, entry }) => {
    const object = entry.object as APIService
    if (type === 'DELETED') forget(object)
    else take(object)
    generation += 1
    for (const callback of callbacks) callback(object.metadata.name ?? '')
  })

  return {
    remote: (group, version) => (byGroup.size === 0 ? undefined : byGroup.get(group)?.get(version)),
    remotes: () => [...byGroup.values()].flatMap((versions) => [...versions.values()]),
    priorities(group, version) {
      const spec = (store.get(apiServicesKey, '', apiServiceName(group, version))?.object as APIService | undefined)?.spec
      return spec === undefined ? defaultPriorities(group, version) : { group: spec.groupPriorityMinimum, version: spec.versionPriority }
    },
    get generation() {
      return generation
    },
    onChange: (callback) => void callbacks.push(callback),
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}
