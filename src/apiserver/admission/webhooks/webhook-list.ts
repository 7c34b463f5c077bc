import type { MatchCondition, MutatingWebhook, ValidatingWebhook } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { MatchCriteria } from '#apiserver/admission/matching.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'

/** A webhook with its selectors compiled and its defaults filled in. */
export interface RegisteredWebhook extends MatchCriteria {
  readonly webhook: ValidatingWebhook | MutatingWebhook
  /** Name of the configuration that it stands in. */
  readonly configuration: string
  readonly conditions: readonly MatchCondition[]
  readonly ignoresFailure: boolean
  readonly timeoutSeconds: number
  /** True if it is called again after later webhooks changed the object. */
  readonly reinvoked: boolean
  /** True if it may be called in a dry run. */
  readonly allowsDryRun: boolean
}

/** Storage keys of the two kinds of webhook configurations. */
export const webhookStorageKeys = {
  mutating: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  validating: 'admissionregistration.k8s.io/validatingwebhookconfigurations',
} as const

/** The webhooks of one kind, as they stand in the store now. */
export interface WebhookList extends Disposable {
  readonly current: readonly RegisteredWebhook[]
}

function register(configuration: string, webhook: ValidatingWebhook | MutatingWebhook): RegisteredWebhook {
  return {
    webhook,
    configuration,
    rules: webhook.rules ?? [],
    excluded: [],
    exact: webhook.matchPolicy === 'Exact',
    conditions: webhook.matchConditions ?? [],
    namespaceSelector: labelSelectorFromObject(webhook.namespaceSelector ?? {}),
    objectSelector: labelSelectorFromObject(webhook.objectSelector ?? {}),
    ignoresFailure: webhook.failurePolicy === 'Ignore',
    timeoutSeconds: webhook.timeoutSeconds ?? 10,
    reinvoked: 'reinvocationPolicy' in webhook && webhook.reinvocationPolicy === 'IfNeeded',
    allowsDryRun: webhook.sideEffects === 'None' || webhook.sideEffects === 'NoneOnDryRun',
  }
}

/**
 * Webhooks in the order in which they are called: by the name of their configuration, then as
 * listed there.
 */
export function registeredWebhooks(configurations: readonly KubeObject[]): readonly RegisteredWebhook[] {
  return configurations
    .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1))
    .flatMap((object) => {
      const { webhooks = [] } = object as { webhooks?: readonly ValidatingWebhook[] }
      return webhooks.map((webhook) => register(object.metadata?.name ?? '', webhook))
    })
}

/** Follows the configurations in the store, and compiles them again only after a change. */
export function createWebhookList(store: ObjectStore, storageKey: string): WebhookList {
  let current: readonly RegisteredWebhook[] | undefined
  const subscription = store.subscribe(storageKey, undefined, () => (current = undefined))
  return {
    get current() {
      current ??= registeredWebhooks(store.list(storageKey).map((entry) => entry.object))
      return current
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}
