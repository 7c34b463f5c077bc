import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import type { WebhookClientConfig } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { subresourcesApiServices } from '#features/subresources/index.ts'
import { webhookConfigurations, type WebhookEndpoint } from './webhook-configurations.ts'

/** Tells the API server whom to ask about what. May be cut anywhere and done again. */
export async function register(client: Client, endpoint: WebhookEndpoint): Promise<void> {
  const { mutating, validating } = webhookConfigurations(endpoint)
  await ensure(client, mutatingWebhookConfigurations, mutating, 'webhooks')
  await ensure(client, validatingWebhookConfigurations, validating, 'webhooks')
  for (const apiService of apiServicesOf(endpoint)) await ensure(client, apiServices, apiService, 'spec')
}

/**
 * Tells the API server only which authorities to believe, in the registrations that are there: who serves another version knows better than this one what there is to
 * ask about.
 */
export async function publishBundle(client: Client, endpoint: WebhookEndpoint): Promise<void> {
  const { caBundle } = endpoint
  const { mutating, validating } = webhookConfigurations(endpoint)
  const believing = <W extends { clientConfig: WebhookClientConfig }>({ webhooks = [] }: { webhooks?: W[] }): { webhooks: W[] } => ({
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } })),
  })
  await change(client, mutatingWebhookConfigurations, mutating, believing)
  await change(client, validatingWebhookConfigurations, validating, believing)
  for (const apiService of apiServicesOf(endpoint))
    await change(client, apiServices, apiService, ({ spec }) => ({ spec: { ...spec, caBundle } }))
}

function apiServicesOf({ service, caBundle }: WebhookEndpoint): ReturnType<typeof subresourcesApiServices> {
  return subresourcesApiServices({ ...service, caBundle })
}

/** Creates the object, or brings the field that matters to what it should be. */
async function ensure<F extends 'webhooks' | 'spec', T extends KubeObject & { [key in F]?: unknown }>(
  client: Client,
  resource: ResourceType<T>,
  wanted: T,
  field: F,
): Promise<void> {
  const key = { name: wanted.metadata?.name ?? '' }
  const present = await found(client.get(resource, key))
  if (present === undefined) {
    await client.create(resource, wanted).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  } else if (!semanticEqual(present[field], wanted[field])) {
    await client.patch(resource, key, { type: 'merge', body: { [field]: wanted[field] } })
  }
}

/** Changes an object of this name if there is one and it changes by that. @throws StatusError 409 when somebody else has changed it meanwhile */
async function change<T extends KubeObject>(
  client: Client,
  resource: ResourceType<T>,
  named: T,
  to: (present: T) => object,
): Promise<void> {
  const key = { name: named.metadata?.name ?? '' }
  const present = await found(client.get(resource, key))
  if (present === undefined) return
  const next = to(present)
  if (semanticEqual({ ...present, ...next }, present)) return
  await client.patch(resource, key, { type: 'merge', body: { ...next, metadata: { resourceVersion: present.metadata?.resourceVersion } } })
}
