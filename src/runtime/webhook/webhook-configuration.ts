import type { RuleWithOperations, ValidatingWebhook } from '#api/admissionregistration/v1/webhook-configuration.ts'

/** Service of a webhook server, and the base64 of the PEM bundle that signs its certificate. */
export interface WebhookEndpoint {
  readonly service: { readonly namespace: string; readonly name: string }
  readonly caBundle: string
}

/**
 * Returns a webhook that requests wait for, and that refuses them while it does not answer. All
 * defaults of the API server are set, so that edits are found by comparison. Pure.
 */
export function requiredWebhook(
  { service, caBundle }: WebhookEndpoint,
  name: string,
  path: string,
  rules: RuleWithOperations[],
): ValidatingWebhook {
  return {
    name,
    clientConfig: { service: { ...service, path, port: 443 }, caBundle },
    rules,
    failurePolicy: 'Fail',
    // A request of another version is converted, and judged as the one of the rules.
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    sideEffects: 'None',
    timeoutSeconds: 10,
    admissionReviewVersions: ['v1'],
  }
}
