import type { ValidatingAdmissionPolicy } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { ValidatingWebhook } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { type FieldError, invalid } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionPlugin } from './chain.ts'
import { policyStorageKeys } from './policy/policy-list.ts'
import { webhookStorageKeys } from './webhooks/webhook-list.ts'

interface WebhookConfiguration extends KubeObject {
  webhooks?: readonly ValidatingWebhook[]
}

const webhookKeys: ReadonlySet<string> = new Set(Object.values(webhookStorageKeys))

/**
 * Refuses webhooks and policies whose CEL expressions do not compile. Separate from the validation
 * in the registry, so that CEL is loaded on first use only.
 */
export const expressionValidity: AdmissionPlugin = {
  name: 'ExpressionValidity',
  resources: new Set([...webhookKeys, policyStorageKeys.policies]),
  validate({ operation, target, object }) {
    if (operation === 'DELETE' || object === undefined || target.subresource !== '') return undefined
    const { definition, name } = target
    if (webhookKeys.has(definition.storageKey)) {
      const { webhooks = [] } = object as WebhookConfiguration
      return webhooks.some(({ matchConditions = [] }) => matchConditions.length > 0) ? check(target, webhookFaults(webhooks)) : undefined
    }
    const { spec } = object as ValidatingAdmissionPolicy
    return spec === undefined ? undefined : check({ definition, name }, policyFaults(spec))
  },
}

async function check(
  { definition, name }: { definition: Parameters<typeof invalid>[0]; name: string },
  faults: Promise<readonly FieldError[]>,
): Promise<void> {
  const found = await faults
  if (found.length > 0) throw invalid(definition, name, found)
}

async function webhookFaults(webhooks: readonly ValidatingWebhook[]): Promise<readonly FieldError[]> {
  const { webhookExpressionFaults } = await import('./expressions/expression-check.ts')
  return webhooks.flatMap(({ matchConditions = [] }, index) =>
    webhookExpressionFaults(matchConditions, `webhooks[${index}].matchConditions`),
  )
}

async function policyFaults(spec: NonNullable<ValidatingAdmissionPolicy['spec']>): Promise<readonly FieldError[]> {
  const { policyExpressionFaults } = await import('./expressions/expression-check.ts')
  return policyExpressionFaults(spec)
}
