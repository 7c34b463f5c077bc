import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Lister } from '#runtime/cache/lister.ts'

/** Registrations of our own servers: those that carry the operator's label. */
export interface RegistrationListers {
  readonly validatingWebhooks: Pick<Lister<ValidatingWebhookConfiguration>, 'list'>
  readonly mutatingWebhooks: Pick<Lister<MutatingWebhookConfiguration>, 'list'>
  readonly apiServices: Pick<Lister<APIService>, 'list'>
}

/** A registration that believes other authorities than it is to, and what of it is to be changed. */
export interface Unbelieving {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
  readonly body: object
}

/** Those that do not believe the bundle, a PEM text, and nothing else. Pure. */
export function unbelieving(listers: RegistrationListers, bundle: string): readonly Unbelieving[] {
  const caBundle = Buffer.from(bundle).toString('base64')
  const hooks = <T extends MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
    resource: ResourceType<T>,
    all: readonly T[],
  ): readonly Unbelieving[] =>
    all.flatMap((object) => {
      const webhooks = object.webhooks ?? []
      if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return []
      const body = { webhooks: webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } })) }
      return [{ resource, object, body }]
    })
  return [
    ...hooks(validatingWebhookConfigurations, listers.validatingWebhooks.list()),
    ...hooks(mutatingWebhookConfigurations, listers.mutatingWebhooks.list()),
    ...listers.apiServices
      .list()
      .filter(({ spec }) => spec?.caBundle !== caBundle)
      .map((object) => ({ resource: apiServices, object, body: { spec: { caBundle } } })),
  ]
}
