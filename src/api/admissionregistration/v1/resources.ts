import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from './webhook-configuration.ts'

/** `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations` */
export const mutatingWebhookConfigurations: ResourceType<MutatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
}

/** `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations` */
export const validatingWebhookConfigurations: ResourceType<ValidatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
}
