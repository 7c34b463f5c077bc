import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { MutatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import * as admission from '#api/admissionregistration/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import { defineResource, type ResourceDraft } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { admissionPolicyBindingStrategy, admissionPolicyStrategy } from './admission-policy-strategy.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { webhookConfigurationStrategy } from './webhook-configuration-strategy.ts'

function define(draft: ResourceDraft): ResourceDefinition {
  return defineResource({
    ...draft,
    categories: ['api-extensions'],
    schema: schemaOf(draft),
    hasGeneration: true,
    unconditionalUpdate: false,
  })
}

const configuration = columnsOf<MutatingWebhookConfiguration>()
const policy = columnsOf<ValidatingAdmissionPolicy>()
const binding = columnsOf<ValidatingAdmissionPolicyBinding>()
const integer = { type: 'integer' } as const

/** Resources of `admissionregistration.k8s.io/v1`. */
export function admissionregistrationDefinitions(): ResourceDefinition[] {
  const webhooks = [nameColumn, configuration('Webhooks', (object) => (object.webhooks ?? []).length, integer), ageColumn]
  return [
    define({ ...admission.mutatingWebhookConfigurations, columns: webhooks, strategy: webhookConfigurationStrategy }),
    define({ ...admission.validatingWebhookConfigurations, columns: webhooks, strategy: webhookConfigurationStrategy }),
    define({
      ...admission.validatingAdmissionPolicies,
      hasStatus: true,
      columns: [
        nameColumn,
        policy('Validations', ({ spec }) => (spec?.validations ?? []).length, integer),
        policy('ParamKind', ({ spec }) =>
          spec?.paramKind === undefined ? '<unset>' : `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}`,
        ),
        ageColumn,
      ],
      strategy: admissionPolicyStrategy,
    }),
    define({
      ...admission.validatingAdmissionPolicyBindings,
      columns: [
        nameColumn,
        binding('PolicyName', ({ spec }) => orNone(spec?.policyName)),
        binding('ParamRef', ({ spec }) => parameters(spec?.paramRef)),
        ageColumn,
      ],
      strategy: admissionPolicyBindingStrategy,
    }),
  ]
}

function parameters(reference: NonNullable<ValidatingAdmissionPolicyBinding['spec']>['paramRef']): string {
  if (reference === undefined) return '<unset>'
  const { namespace = '', name = '' } = reference
  if (name === '') return namespace === '' ? '*/<selector>' : `${namespace}/<selector>`
  return namespace === '' ? `*/${name}` : `${namespace}/${name}`
}
