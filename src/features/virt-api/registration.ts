import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { bundlesOf, type Registration } from '#features/certificates/index.ts'
import { subresourcesApiServices } from '#features/subresources/index.ts'
import { uploadApiServices } from '#features/volume-upload/publisher/index.ts'
import type { WebhookEndpoint } from '#runtime/webhook/webhook-configuration.ts'
import { webhookConfigurations } from './webhook-configurations.ts'

/** A registration does not have our CA bundle yet. */
class NotBelieved extends Error {
  override readonly name = 'NotBelieved'
}

/**
 * Renders all webhook configurations and APIServices; virt-operator registers them while there are
 * servers that answer. Pure.
 */
export function registrations(endpoint: WebhookEndpoint): readonly Registration[] {
  const { mutating, validating } = webhookConfigurations(endpoint)
  return [mutating, validating, ...apiServicesOf(endpoint)]
}

/**
 * Resolves when all existing registrations have the CA bundle of the endpoint. Missing ones are
 * created with it.
 * @throws NotBelieved that names one that does not
 */
export async function checkBelieved(client: Pick<Client, 'get'>, endpoint: WebhookEndpoint): Promise<void> {
  const { mutating, validating } = webhookConfigurations(endpoint)
  const services = apiServicesOf(endpoint)
  const present = await Promise.all([
    found(client.get(mutatingWebhookConfigurations, keyOf(mutating))),
    found(client.get(validatingWebhookConfigurations, keyOf(validating))),
    ...services.map((one) => found(client.get(apiServices, keyOf(one)))),
  ])
  for (const one of present) {
    // CDI's own server is no business of ours.
    if (one !== undefined && !isOfOtherServer(one, endpoint) && bundlesOf(one).some((believed) => believed !== endpoint.caBundle))
      throw new NotBelieved(`${one.kind} ${one.metadata.name} does not believe the authority yet`)
  }
}

function apiServicesOf({ service, caBundle }: WebhookEndpoint): readonly APIService[] {
  return [...subresourcesApiServices({ ...service, caBundle }), ...uploadApiServices({ ...service, caBundle })]
}

function isOfOtherServer(one: Registration, { service }: WebhookEndpoint): boolean {
  if ('webhooks' in one) return false
  const { service: registered } = (one as APIService).spec ?? {}
  return registered?.name !== service.name || registered.namespace !== service.namespace
}

const keyOf = ({ metadata }: KubeObject): { readonly name: string } => ({ name: metadata?.name ?? '' })
