import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import { badRequest, internalError, StatusError } from '#apimachinery/errors.ts'
import type { AdmissionResponse } from '#api/admission/v1/admission-review.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type AdmissionPlugin, type AdmissionRequest, asAdmission } from '#apiserver/admission/chain.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { isExempt, isSelected, matchedVersion, type MatchingPorts } from '../matching.ts'
import { requestFacts } from '../review-request.ts'
import { shownObject, withShown } from '../admission-object.ts'
import { fulfilsConditions } from './conditions.ts'
import { denial, InvalidReview, patched, responseOf, reviewOf } from './review.ts'
import { createWebhookCaller, type ServiceResolver } from './webhook-caller.ts'
import { createWebhookList, type RegisteredWebhook, webhookStorageKeys } from './webhook-list.ts'

/** Options of {@link createWebhookAdmission}. */
export interface WebhookAdmissionOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly randomUuid: () => string
  /** Implements the CEL variable `authorizer`. */
  readonly authorize: Authorizer
  /** Resolves the service of a webhook. Default: only URLs work. */
  readonly resolveService?: ServiceResolver
  /** Called with failures that failurePolicy Ignore hides. */
  readonly onIgnored?: (webhook: string, error: unknown) => void
}

/** Admission by the webhooks of the stored configurations. */
export type WebhookAdmission = Required<Pick<AdmissionPlugin, 'name' | 'mutate' | 'validate' | 'connect'>> & Disposable

interface Call {
  readonly registered: RegisteredWebhook
  readonly version: ResourceDefinition
}

/** Calls mutating webhooks in sequence, then validating ones in parallel. */
export function createWebhookAdmission(options: WebhookAdmissionOptions): WebhookAdmission {
  const { store, registry } = options
  const mutating = createWebhookList(store, webhookStorageKeys.mutating)
  const validating = createWebhookList(store, webhookStorageKeys.validating)
  const caller = createWebhookCaller(options.resolveService ?? (() => undefined))
  const ports: MatchingPorts = {
    versionsOf: (definition) => registry.all().filter((other) => other.storageKey === definition.storageKey),
    namespaceLabels: (name) => store.get('/namespaces', '', name)?.object.metadata?.labels,
  }

  const callsFor = (webhooks: readonly RegisteredWebhook[], request: AdmissionRequest): readonly Call[] => {
    if (webhooks.length === 0 || isExempt(request.target.definition)) return []
    return webhooks.flatMap((registered) => {
      const version = matchedVersion(registered, request, ports)
      return version === undefined ? [] : [{ registered, version }]
    })
  }

  /**
   * Calls one webhook if it matches the request, and passes its answer to `use`. Undefined when it
   * failed and failurePolicy is Ignore.
   */
  const ask = async <T>(
    { registered, version }: Call,
    request: AdmissionRequest,
    use: (response: AdmissionResponse, object: KubeObject | undefined) => T,
  ): Promise<T | undefined> => {
    const { webhook } = registered
    if (!isSelected(registered, request, ports)) return undefined
    const uid = options.randomUuid()
    const facts = requestFacts(request, version, uid)
    const [object, old] = [
      await shownObject(version, request.target, request.object),
      await shownObject(version, request.target, request.old),
    ]
    if (registered.conditions.length > 0) {
      const { authorize } = options
      if (!(await fulfilsConditions(registered, { facts, object, old, request, authorize }))) return undefined
    }
    if (request.dryRun && !registered.allowsDryRun) throw badRequest(`admission webhook "${webhook.name}" does not support dry run`)
    try {
      const answer = await caller.post(webhook, reviewOf(facts, object, old), registered.timeoutSeconds)
      const response = responseOf(answer, uid)
      for (const warning of response.warnings ?? []) request.context.warn(warning)
      if (!response.allowed) throw denial(webhook.name, response)
      return use(response, object)
    } catch (error) {
      if (error instanceof StatusError) throw error
      if (registered.ignoresFailure) {
        options.onIgnored?.(webhook.name, error)
        return undefined
      }
      const message = error instanceof Error ? error.message : String(error)
      throw internalError(`failed calling webhook "${webhook.name}": failed to call webhook: ${message}`, error)
    }
  }

  const refusePatch = (response: AdmissionResponse): void => {
    if (response.patch !== undefined && response.patch !== null && response.patch !== '')
      throw new InvalidReview('Answer of a validating webhook has a patch')
  }

  const mutate = async (calls: readonly Call[], request: AdmissionRequest): Promise<KubeObject | undefined> => {
    let { object } = request
    const seen = new Map<Call, KubeObject | undefined>()
    const callOne = async (call: Call): Promise<void> => {
      const current = object
      const changed = await ask(call, { ...request, object: current }, (response, shown) =>
        shown === undefined ? undefined : patched(shown, response),
      )
      if (changed !== undefined && current !== undefined) object = await withShown(request.target, current, changed)
      seen.set(call, object)
    }
    for (const call of calls) await callOne(call)
    // Reinvocation, for webhooks with reinvocationPolicy IfNeeded.
    for (const call of calls) if (call.registered.reinvoked && seen.get(call) !== object) await callOne(call)
    return object === request.object ? undefined : object
  }

  const validate = async (calls: readonly Call[], request: AdmissionRequest): Promise<void> => {
    const results = await Promise.allSettled(calls.map((call) => ask(call, request, refusePatch)))
    const refused = results.find((result) => result.status === 'rejected')
    if (refused !== undefined) throw refused.reason
  }

  return {
    name: 'Webhooks',
    async connect(connection) {
      const request = asAdmission(connection)
      await mutate(callsFor(mutating.current, request), request)
      await validate(callsFor(validating.current, request), request)
    },
    mutate(request) {
      const calls = callsFor(mutating.current, request)
      return calls.length === 0 ? undefined : mutate(calls, request)
    },
    validate(request) {
      const calls = callsFor(validating.current, request)
      return calls.length === 0 ? undefined : validate(calls, request)
    },
    [Symbol.dispose]() {
      mutating[Symbol.dispose]()
      validating[Symbol.dispose]()
      caller[Symbol.dispose]()
    },
  }
}
