import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '#api/admissionregistration/v1/webhook-configuration.ts'
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

/** Renders the webhook configurations. `caBundle`: base64 of the PEM bundle. Pure. */
export function registrationsOf(caBundle: string): readonly [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const [mutator = '', validator = ''] = registrationNames
  const metadata = (name: string): { name: string; labels: Record<string, string> } => ({ name, labels: { ...labelsOf('deployment') } })
  const webhook = (verb: 'mutate' | 'validate'): ValidatingWebhook => ({
    name: `${verb}-hyperconverged.hco.kubevirt.io`,
    clientConfig: {
      service: { namespace: hyperConvergedKey.namespace, name: operatorName, path: webhookPaths[verb], port: 443 },
      caBundle,
    },
    rules,
    failurePolicy: 'Fail',
    // A request of v1beta1 is converted, and judged as v1.
    matchPolicy: 'Equivalent',
    // Defaults are set, so that edits are found by comparison.
    namespaceSelector: {},
    objectSelector: {},
    sideEffects: 'None',
    timeoutSeconds: 10,
    admissionReviewVersions: ['v1'],
  })
  return [
    {
      apiVersion,
      kind: 'MutatingWebhookConfiguration',
      metadata: metadata(mutator),
      webhooks: [{ ...webhook('mutate'), reinvocationPolicy: 'Never' }],
    },
    { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata: metadata(validator), webhooks: [webhook('validate')] },
  ]
}
