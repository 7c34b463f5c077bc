import type { APIService, APIServiceCondition } from '#api/apiregistration/v1/api-service.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { endpointKeys, type EndpointFinder, type HostPort, serviceNameLabel } from '#apiserver/services/endpoint-finder.ts'
import type { Change, ObjectStore } from '#apiserver/storage/object-store.ts'
import { type ApiServices, apiServicesKey, type RemoteApi } from '../api-services/api-services.ts'
import { probeCondition, serviceProblem } from './availability-condition.ts'
import { fetchDocument } from '../backend/backend-documents.ts'
import { BackendFailure } from '../backend/backend.ts'
import type { BackendPool } from '../backend/backend-pool.ts'

/** Options of {@link watchAvailability}. */
export interface AvailabilityOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  readonly services: ApiServices
  readonly find: EndpointFinder
  readonly pool: BackendPool
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /**
   * Called with the result of each check before the condition is written; `address` is one that
   * answered.
   */
  readonly onChecked: (api: RemoteApi, address: HostPort | undefined) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Maintains the condition Available of APIServices. */
export interface Availability extends Disposable {
  /** Checks again soon, after a request could not reach the server. */
  recheck(api: RemoteApi): void
}

/**
 * Milliseconds between checks of a healthy server, and after the first and last of consecutive
 * failures.
 */
const wellMs = 30_000
const firstRetryMs = 100
const lastRetryMs = 10_000
/** Addresses that are probed in parallel. One success suffices. */
const attempts = 5

interface Watched {
  /** Fields of the APIService that the result depends on. */
  shape: string
  timer: NodeJS.Timeout | undefined
  running: boolean
  /** Something changed during the check. */
  again: boolean
  failures: number
}

function shapeOf({ group, version, service, ca, insecure }: RemoteApi): string {
  return JSON.stringify([group, version, service, ca, insecure])
}

/**
 * Checks each APIService with a service, when it or its service or endpoints change, and
 * periodically.
 */
export function watchAvailability(options: AvailabilityOptions): Availability {
  const { store, registry, verbs, services, find, pool, now, onChecked, onError } = options
  const held = new DisposableStack()
  const watched = new Map<string, Watched>()
  const stopped = new AbortController()
  const context = internalContext('system:kube-aggregator', 'kube-aggregator', stopped.signal)

  const probe = async (api: RemoteApi, address: HostPort): Promise<HostPort> => {
    const path = `/apis/${api.group}/${api.version}`
    const url = `https://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}${path}`
    try {
      const { status } = await fetchDocument(pool, api, address, path)
      if (status >= 200 && status < 300) return address
      throw new BackendFailure(`bad status from ${url}: ${status}`)
    } catch (error) {
      const why = error instanceof Error ? (error.name === 'AbortError' ? 'context deadline exceeded' : error.message) : String(error)
      throw new BackendFailure(`failing or missing response from ${url}: ${why}`, { cause: error })
    }
  }

  const check = async (api: RemoteApi): Promise<{ condition: APIServiceCondition; address?: HostPort }> => {
    const found = find(api.service.namespace, api.service.name, api.service.port)
    const problem = serviceProblem(api, found)
    if (problem !== undefined || found.kind !== 'ready') return { condition: problem ?? probeCondition('no address') }
    try {
      const address = await Promise.any(found.addresses.slice(0, attempts).map((each) => probe(api, each)))
      return { condition: probeCondition(undefined), address }
    } catch (error) {
      const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error
      return { condition: probeCondition(last instanceof Error ? last.message : String(last)) }
    }
  }

  const record = async (api: RemoteApi, condition: APIServiceCondition): Promise<void> => {
    const definition = registry.find('apiregistration.k8s.io', 'v1', 'apiservices')
    const object = store.get(apiServicesKey, '', api.name)?.object as APIService | undefined
    const current = services.remote(api.group, api.version)
    // The APIService was deleted or changed; its new state is checked separately.
    if (definition === undefined || object === undefined || current === undefined || shapeOf(current) !== shapeOf(api)) return
    const conditions = setCondition(object.status?.conditions, condition, rfc3339(now()))
    if (conditions === object.status?.conditions) return
    const next: APIService = { ...object, status: { ...object.status, conditions } }
    const target = { definition, namespace: '', name: api.name, subresource: 'status' }
    await verbs.update(target, { object: next, duplicates: [] }, internalMutation, context)
  }

  const work = async (name: string, state: Watched): Promise<void> => {
    const api = services.remotes().find((candidate) => candidate.name === name)
    if (api === undefined) return void watched.delete(name)
    state.shape = shapeOf(api)
    const { condition, address } = await check(api)
    state.failures = condition.status === 'True' ? 0 : state.failures + 1
    try {
      await onChecked(api, address)
      if (!held.disposed) await record(api, condition)
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) state.again = true
      else onError(error)
    }
  }

  const run = async (name: string, state: Watched): Promise<void> => {
    state.running = true
    state.again = false
    await work(name, state)
    state.running = false
    if (!watched.has(name) || held.disposed) return
    const retryMs = Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(state.failures - 1, 20))
    schedule(name, state.again ? 0 : state.failures > 0 ? retryMs : wellMs)
  }

  const schedule = (name: string, delayMs: number): void => {
    if (held.disposed) return
    const state: Watched = watched.get(name) ?? { shape: '', timer: undefined, running: false, again: false, failures: 0 }
    watched.set(name, state)
    if (state.running) return void (state.again = true)
    clearTimeout(state.timer)
    state.timer = setTimeout(() => void run(name, state), delayMs).unref()
  }

  const onApiService = (name: string): void => {
    const api = services.remotes().find((candidate) => candidate.name === name)
    const state = watched.get(name)
    if (api === undefined) {
      clearTimeout(state?.timer)
      watched.delete(name)
    } else if (state === undefined || (state.shape !== '' && state.shape !== shapeOf(api)) || conditionOf(name) === undefined)
      schedule(name, 0)
  }
  const conditionOf = (name: string): APIServiceCondition | undefined =>
    (store.get(apiServicesKey, '', name)?.object as APIService | undefined)?.status?.conditions?.find(({ type }) => type === 'Available')

  const onService = (nameOf: (change: Change) => string | undefined) => (change: Change) => {
    const name = nameOf(change)
    const namespace = change.entry.object.metadata?.namespace
    for (const api of services.remotes()) if (api.service.name === name && api.service.namespace === namespace) schedule(api.name, 0)
  }
  const ownName = onService(({ entry }) => entry.object.metadata?.name)
  held.use(store.subscribe(endpointKeys.services, undefined, ownName))
  held.use(store.subscribe(endpointKeys.endpoints, undefined, ownName))
  held.use(
    store.subscribe(
      endpointKeys.slices,
      undefined,
      onService(({ entry }) => entry.object.metadata?.labels?.[serviceNameLabel]),
    ),
  )
  held.defer(() => {
    stopped.abort()
    for (const { timer } of watched.values()) clearTimeout(timer)
  })
  services.onChange(onApiService)
  for (const { name } of services.remotes()) schedule(name, 0)

  return {
    recheck: ({ name }) => {
      if (watched.get(name)?.running === false) schedule(name, firstRetryMs)
    },
    [Symbol.dispose]: () => held.dispose(),
  }
}
