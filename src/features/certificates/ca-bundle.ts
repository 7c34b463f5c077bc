import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'

/** Objects with a CA bundle by which the API server verifies our servers. */
export type Registration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration | APIService

/** Returns the base64 CA bundles of a registration. Pure. */
export function bundlesOf(registration: Registration): readonly string[] {
  if ('webhooks' in registration) return (registration.webhooks ?? []).map(({ clientConfig }) => clientConfig.caBundle ?? '')
  const { service, caBundle = '' } = (registration as APIService).spec ?? {}
  return service === undefined || service === null ? [] : [caBundle]
}

/** Returns the registration with another CA bundle. Pure. */
export function withBundle<T extends Registration>(registration: T, caBundle: string): T {
  if ('webhooks' in registration) {
    const webhooks = (registration.webhooks ?? []).map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }))
    return { ...registration, webhooks }
  }
  return { ...registration, spec: { ...(registration as APIService).spec, caBundle } }
}
