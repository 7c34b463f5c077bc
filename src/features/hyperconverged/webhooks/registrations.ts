import type {
  MatchCondition,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { ConversionWebhookClientConfig } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { requiredWebhook } from '#runtime/webhook/webhook-configuration.ts'
import { hyperConvergedKey, labelsOf, operatorName } from '../names.ts'
import { webhookPaths } from './handlers.ts'

/**
 * Webhook that converts HyperConverged objects. It is in the manifest of the CRD, so that the
 * operator adds only the CA bundle, and applying the manifest again conflicts with nothing.
 */
export const hyperConvergedConverter: ConversionWebhookClientConfig = {
  service: { namespace: hyperConvergedKey.namespace, name: operatorName, path: webhookPaths.convert, port: 443 },
}

/** Names of the configurations. */
export const registrationNames: readonly string[] = [`${operatorName}-mutator`, `${operatorName}-validator`]

const rulesOf = (...operations: string[]): RuleWithOperations[] => [
  { apiGroups: ['hco.kubevirt.io'], apiVersions: ['v1'], resources: ['hyperconvergeds'], operations, scope: 'Namespaced' },
]

/**
 * Nothing is decided about an object that is being deleted. Without this condition, webhooks that
 * do not answer would keep its finalizers for ever.
 */
const notDeleted = (object: 'object' | 'oldObject'): MatchCondition[] => [
  { name: 'is-not-being-deleted', expression: `!has(${object}.metadata.deletionTimestamp)` },
]

const overrideRules: RuleWithOperations[] = [
  {
    apiGroups: ['steadyvm.io'],
    apiVersions: ['v1alpha1'],
    resources: ['componentoverrides'],
    operations: ['CREATE', 'UPDATE'],
    scope: 'Cluster',
  },
]

/** Renders the webhook configurations. `caBundle`: base64 of the PEM bundle. Pure. */
export function registrationsOf(caBundle: string): readonly [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const [mutator = '', validator = ''] = registrationNames
  const metadata = (name: string): { name: string; labels: Record<string, string> } => ({ name, labels: { ...labelsOf('deployment') } })
  const endpoint = { service: { namespace: hyperConvergedKey.namespace, name: operatorName }, caBundle }
  const webhook = (verb: 'mutate' | 'validate'): ValidatingWebhook => ({
    ...requiredWebhook(endpoint, `${verb}-hyperconverged.hco.kubevirt.io`, webhookPaths[verb], rulesOf('CREATE', 'UPDATE')),
    matchConditions: notDeleted('object'),
  })
  const deletion: ValidatingWebhook = {
    ...requiredWebhook(endpoint, 'delete-hyperconverged.hco.kubevirt.io', webhookPaths.validate, rulesOf('DELETE')),
    matchConditions: notDeleted('oldObject'),
  }
  return [
    {
      apiVersion,
      kind: 'MutatingWebhookConfiguration',
      metadata: metadata(mutator),
      webhooks: [{ ...webhook('mutate'), reinvocationPolicy: 'Never' }],
    },
    {
      apiVersion,
      kind: 'ValidatingWebhookConfiguration',
      metadata: metadata(validator),
      webhooks: [
        webhook('validate'),
        deletion,
        requiredWebhook(endpoint, 'validate-componentoverride.steadyvm.io', webhookPaths.override, overrideRules),
      ],
    },
  ]
}
