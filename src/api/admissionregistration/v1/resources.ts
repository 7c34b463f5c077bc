import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './validating-admission-policy.ts'
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

/** `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies` */
export const validatingAdmissionPolicies: ResourceType<ValidatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
}

/** `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings` */
export const validatingAdmissionPolicyBindings: ResourceType<ValidatingAdmissionPolicyBinding> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
}
