import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { bundlesOf, withBundle, type Registration } from './ca-bundle.ts'

/** Caches of registrations with the operator's label. */
export interface RegistrationListers {
  readonly validatingWebhooks: Pick<Lister<ValidatingWebhookConfiguration>, 'list'>
  readonly mutatingWebhooks: Pick<Lister<MutatingWebhookConfiguration>, 'list'>
  readonly apiServices: Pick<Lister<APIService>, 'list'>
}

/** A registration with an outdated CA bundle, and its patch. */
export interface OutdatedRegistration {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
  readonly body: object
}

/** Returns registrations whose CA bundle differs from this PEM text. Pure. */
export function outdatedRegistrations(listers: RegistrationListers, bundle: string): readonly OutdatedRegistration[] {
  const caBundle = Buffer.from(bundle).toString('base64')
  const among = <T extends Registration>(resource: ResourceType<T>, all: readonly T[]): readonly OutdatedRegistration[] =>
    all
      .filter((one) => bundlesOf(one).some((believed) => believed !== caBundle))
      .map((object) => {
        const { webhooks, spec } = withBundle(object, caBundle) as { readonly webhooks?: unknown; readonly spec?: unknown }
        return { resource: resource as ResourceType<KubeObject>, object, body: webhooks === undefined ? { spec } : { webhooks } }
      })
  return [
    ...among(validatingWebhookConfigurations, listers.validatingWebhooks.list()),
    ...among(mutatingWebhookConfigurations, listers.mutatingWebhooks.list()),
    ...among(apiServices, listers.apiServices.list()),
  ]
}
