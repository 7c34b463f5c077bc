import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '#api/admissionregistration/v1/webhook-configuration.ts'
import { requiredWebhook } from '#runtime/webhook/webhook-configuration.ts'
import { hyperConvergedKey, labelsOf, operatorName } from '../names.ts'
import { webhookPaths } from './handlers.ts'

/** Names of the configurations. */
export const registrationNames: readonly string[] = [`${operatorName}-mutator`, `${operatorName}-validator`]

const rules: RuleWithOperations[] = [
  {
    apiGroups: ['hco.kubevirt.io'],
    apiVersions: ['v1'],
    resources: ['hyperconvergeds'],
    operations: ['CREATE', 'UPDATE'],
    scope: 'Namespaced',
  },
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
  const webhook = (verb: 'mutate' | 'validate'): ValidatingWebhook =>
    requiredWebhook(endpoint, `${verb}-hyperconverged.hco.kubevirt.io`, webhookPaths[verb], rules)
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
        requiredWebhook(endpoint, 'validate-componentoverride.steadyvm.io', webhookPaths.override, overrideRules),
      ],
    },
  ]
}
