import type { RuleWithOperations, ValidatingWebhook, WebhookClientConfig } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue } from '#apimachinery/field-messages.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { validateName } from '#apimachinery/names.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { validateServiceReference } from '#apiserver/services/validate-service-reference.ts'
import { duplicates, oneOf, requiredField } from '../checks/field-checks.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { conditionFaults, selectorSyntaxFaults } from '../checks/match-rules.ts'

interface Configuration extends KubeObject {
  webhooks?: readonly (ValidatingWebhook & { reinvocationPolicy?: string })[]
}

const operations = ['*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT']
const longestTimeout = 30

/** Validates webhook configurations beyond their schema. */
export const webhookConfigurationStrategy: Strategy = {
  validate(object) {
    const { webhooks = [] } = object as Configuration
    return [
      ...webhooks.flatMap((webhook, index) => webhookFaults(webhook, `webhooks[${index}]`)),
      ...duplicates(webhooks.map(({ name }) => name)).map((index) => duplicateValue(`webhooks[${index}].name`, webhooks[index]?.name)),
    ]
  },
}

function webhookFaults(webhook: ValidatingWebhook & { reinvocationPolicy?: string }, field: string): FieldError[] {
  const { name, sideEffects, timeoutSeconds, admissionReviewVersions: versions } = webhook
  return [
    ...nameFaults(`${field}.name`, name),
    ...clientFaults(webhook.clientConfig, `${field}.clientConfig`),
    ...(webhook.rules ?? []).flatMap((rule, index) => ruleFaults(rule, `${field}.rules[${index}]`)),
    ...oneOf(`${field}.failurePolicy`, webhook.failurePolicy, ['Fail', 'Ignore']),
    ...oneOf(`${field}.matchPolicy`, webhook.matchPolicy, ['Equivalent', 'Exact']),
    ...oneOf(`${field}.reinvocationPolicy`, webhook.reinvocationPolicy, ['IfNeeded', 'Never']),
    // v1 has dropped the values Unknown and Some.
    ...oneOf(`${field}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun']),
    ...(timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > longestTimeout)
      ? [invalidValue(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...(versions.length === 0 ? [requiredField(`${field}.admissionReviewVersions`, 'must specify one of v1, v1beta1')] : []),
    ...(versions.length > 0 && !versions.includes('v1')
      ? [invalidValue(`${field}.admissionReviewVersions`, versions, 'must include at least one of v1, v1beta1')]
      : []),
    ...selectorSyntaxFaults(webhook.namespaceSelector, `${field}.namespaceSelector`),
    ...selectorSyntaxFaults(webhook.objectSelector, `${field}.objectSelector`),
    ...conditionFaults(webhook.matchConditions ?? [], `${field}.matchConditions`),
  ]
}

function nameFaults(field: string, name: string): FieldError[] {
  if (name === '') return [requiredField(field)]
  const faults = validateName(name, 'dns-subdomain').map((why) => invalidValue(field, name, why))
  if (name.split('.').length < 3)
    faults.push(invalidValue(field, name, 'should be a domain with at least three segments separated by dots'))
  return faults
}

function clientFaults({ url, service }: WebhookClientConfig, field: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) return [requiredField(field, 'exactly one of url or service is required')]
  if (service !== undefined) return validateServiceReference(service, `${field}.service`)
  return urlFaults(url ?? '', `${field}.url`)
}

function urlFaults(url: string, field: string): FieldError[] {
  const form = 'desired format: https://host[/path]'
  const parsed = URL.parse(url)
  if (parsed === null) return [requiredField(field, `url must be a valid URL: ${form}`)]
  const faults: FieldError[] = []
  if (parsed.protocol !== 'https:') {
    faults.push(invalidValue(field, parsed.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${form}`))
  }
  if (parsed.host === '') faults.push(invalidValue(field, '', `host must be specified; ${form}`))
  if (parsed.username !== '') faults.push(invalidValue(field, url, 'user information is not permitted in the URL'))
  if (parsed.hash !== '') faults.push(invalidValue(field, parsed.hash.slice(1), 'fragments are not permitted in the URL'))
  if (parsed.search !== '') faults.push(invalidValue(field, parsed.search.slice(1), 'query parameters are not permitted in the URL'))
  return faults
}

/** Validates a rule of a webhook or policy. */
export function ruleFaults(rule: RuleWithOperations, field: string): FieldError[] {
  const lists = { operations: rule.operations, apiGroups: rule.apiGroups, apiVersions: rule.apiVersions, resources: rule.resources }
  return [
    ...Object.entries(lists).flatMap(([name, list]) => ((list ?? []).length === 0 ? [requiredField(`${field}.${name}`)] : [])),
    ...Object.entries(lists).flatMap(([name, list]) =>
      (list ?? []).length > 1 && (list ?? []).includes('*') && name !== 'resources'
        ? [invalidValue(`${field}.${name}`, list, "if '*' is present, must not specify other ones")]
        : [],
    ),
    ...(rule.operations ?? []).flatMap((operation, index) => oneOf(`${field}.operations[${index}]`, operation, operations)),
    ...(rule.resources ?? []).flatMap((resource, index) => (resource === '' ? [requiredField(`${field}.resources[${index}]`)] : [])),
    ...oneOf(`${field}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']),
    ...((rule.resources ?? []).length > 1 && (rule.resources ?? []).includes('*/*')
      ? [forbiddenField(`${field}.resources`, "if '*/*' is present, must not specify other resources")]
      : []),
  ]
}
