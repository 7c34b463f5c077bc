import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'

/** Tells the API server whom to ask about what, and by which authorities to believe them. */
export type Registration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration | APIService

/** The bundles by which a registration has its servers believed, base64. Pure. */
export function bundlesOf(registration: Registration): readonly string[] {
  if ('webhooks' in registration) return (registration.webhooks ?? []).map(({ clientConfig }) => clientConfig.caBundle ?? '')
  const { service, caBundle = '' } = (registration as APIService).spec ?? {}
  return service === undefined || service === null ? [] : [caBundle]
}

/** The registration with another bundle. Pure. */
export function withBundle<T extends Registration>(registration: T, caBundle: string): T {
  if ('webhooks' in registration) {
    const webhooks = (registration.webhooks ?? []).map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }))
    return { ...registration, webhooks }
  }
  return { ...registration, spec: { ...(registration as APIService).spec, caBundle } }
}
