import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { bundlesOf, type Registration } from '#features/certificates/index.ts'
import { subresourcesApiServices } from '#features/subresources/index.ts'
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
  return [mutating, validating, ...subresourcesApiServices({ ...endpoint.service, caBundle: endpoint.caBundle })]
}

/**
 * Resolves when all existing registrations have the CA bundle of the endpoint. Missing ones are
 * created with it.
 * @throws NotBelieved that names one that does not
 */
export async function checkBelieved(client: Pick<Client, 'get'>, endpoint: WebhookEndpoint): Promise<void> {
  const { mutating, validating } = webhookConfigurations(endpoint)
  const services = subresourcesApiServices({ ...endpoint.service, caBundle: endpoint.caBundle })
  const present = await Promise.all([
    found(client.get(mutatingWebhookConfigurations, keyOf(mutating))),
    found(client.get(validatingWebhookConfigurations, keyOf(validating))),
    ...services.map((one) => found(client.get(apiServices, keyOf(one)))),
  ])
  for (const one of present) {
    if (one !== undefined && bundlesOf(one).some((believed) => believed !== endpoint.caBundle))
      throw new NotBelieved(`${one.kind} ${one.metadata.name} does not believe the authority yet`)
  }
}

const keyOf = ({ metadata }: KubeObject): { readonly name: string } => ({ name: metadata?.name ?? '' })
