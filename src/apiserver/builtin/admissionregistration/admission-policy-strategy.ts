import type {
  MatchResources,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
} from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { duplicates, oneOf, requiredField } from '../checks/field-checks.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { conditionFaults, selectorSyntaxFaults } from '../checks/match-rules.ts'
import { ruleFaults } from './webhook-configuration-strategy.ts'

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized']
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/

/** Strategy of ValidatingAdmissionPolicies. Their expressions are compiled in admission. */
export const admissionPolicyStrategy: Strategy = {
  validate: (object) => policyFaults((object as ValidatingAdmissionPolicy).spec),
}

function policyFaults(spec: ValidatingAdmissionPolicySpec | undefined): FieldError[] {
  if (spec === undefined) return [requiredField('spec')]
  const { validations = [], auditAnnotations = [], variables = [], paramKind, matchConstraints } = spec
  return [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore']),
    ...(paramKind === undefined ? [] : paramKindFaults(paramKind.apiVersion, paramKind.kind)),
    ...(matchConstraints === undefined ? [requiredField('spec.matchConstraints')] : []),
    ...(matchConstraints !== undefined && (matchConstraints.resourceRules ?? []).length === 0
      ? [requiredField('spec.matchConstraints.resourceRules')]
      : []),
    ...resourcesFaults(matchConstraints, 'spec.matchConstraints'),
    ...conditionFaults(spec.matchConditions ?? [], 'spec.matchConditions'),
    ...variables.flatMap(({ name, expression }, index) => [
      ...(identifier.test(name) ? [] : [invalidValue(`spec.variables[${index}].name`, name, 'name is not a valid CEL identifier')]),
      ...(expression.trim() === '' ? [requiredField(`spec.variables[${index}].expression`, 'expression is not specified')] : []),
    ]),
    ...duplicates(variables.map(({ name }) => name)).map((index) =>
      duplicateValue(`spec.variables[${index}].name`, variables[index]?.name),
    ),
    ...(validations.length === 0 && auditAnnotations.length === 0
      ? [requiredField('spec.validations', 'validations or auditAnnotations must be specified')]
      : []),
    ...validations.flatMap(({ expression, message = '', reason }, index) => [
      ...(expression.trim() === '' ? [requiredField(`spec.validations[${index}].expression`, 'expression is not specified')] : []),
      ...(message.includes('\n')
        ? [invalidValue(`spec.validations[${index}].message`, message, 'message must not contain line breaks')]
        : []),
      ...(message === '' && expression.trim().includes('\n')
        ? [requiredField(`spec.validations[${index}].message`, 'message must be specified if expression contains line breaks')]
        : []),
      ...oneOf(`spec.validations[${index}].reason`, reason, reasons),
    ]),
    ...auditAnnotations.flatMap(({ key, valueExpression }, index) => [
      ...(key === '' ? [requiredField(`spec.auditAnnotations[${index}].key`, 'key is not specified')] : []),
      ...(valueExpression.trim() === ''
        ? [requiredField(`spec.auditAnnotations[${index}].valueExpression`, 'valueExpression is not specified')]
        : []),
    ]),
  ]
}

function paramKindFaults(apiVersion: string = '', kind: string = ''): FieldError[] {
  return [
    ...(apiVersion === '' ? [requiredField('spec.paramKind.apiVersion')] : []),
    ...(kind === '' ? [requiredField('spec.paramKind.kind')] : []),
  ]
}

function resourcesFaults(resources: MatchResources | undefined, field: string): FieldError[] {
  if (resources === undefined) return []
  return [
    ...oneOf(`${field}.matchPolicy`, resources.matchPolicy, ['Equivalent', 'Exact']),
    ...selectorSyntaxFaults(resources.namespaceSelector, `${field}.namespaceSelector`),
    ...selectorSyntaxFaults(resources.objectSelector, `${field}.objectSelector`),
    ...(resources.resourceRules ?? []).flatMap((rule, index) => ruleFaults(rule, `${field}.resourceRules[${index}]`)),
    ...(resources.excludeResourceRules ?? []).flatMap((rule, index) => ruleFaults(rule, `${field}.excludeResourceRules[${index}]`)),
  ]
}

/** Strategy of ValidatingAdmissionPolicyBindings. */
export const admissionPolicyBindingStrategy: Strategy = {
  validate(object) {
    const { spec } = object as ValidatingAdmissionPolicyBinding
    if (spec === undefined) return [requiredField('spec')]
    const { policyName = '', paramRef, validationActions = [] } = spec
    return [
      ...(policyName === '' ? [requiredField('spec.policyName')] : []),
      ...(paramRef === undefined ? [] : paramRefFaults(paramRef)),
      ...resourcesFaults(spec.matchResources, 'spec.matchResources'),
      ...actionFaults(validationActions),
    ]
  },
}

function paramRefFaults({
  name = '',
  selector,
  parameterNotFoundAction,
}: NonNullable<NonNullable<ValidatingAdmissionPolicyBinding['spec']>['paramRef']>): FieldError[] {
  const field = 'spec.paramRef'
  return [
    ...(name === '' && selector === undefined ? [requiredField(field, 'one of name or selector must be specified')] : []),
    ...(name !== '' && selector !== undefined ? [forbiddenField(`${field}.name`, 'name and selector are mutually exclusive')] : []),
    ...(parameterNotFoundAction === undefined ? [requiredField(`${field}.parameterNotFoundAction`)] : []),
    ...oneOf(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']),
    ...selectorSyntaxFaults(selector, `${field}.selector`),
  ]
}

function actionFaults(actions: readonly string[]): FieldError[] {
  const field = 'spec.validationActions'
  if (actions.length === 0) return [requiredField(field, 'at least one validation action is required')]
  const both = actions.includes('Deny') && actions.includes('Warn')
  return [
    ...actions.flatMap((action, index) => oneOf(`${field}[${index}]`, action, ['Audit', 'Deny', 'Warn'])),
    ...duplicates(actions).map((index) => duplicateValue(`${field}[${index}]`, actions[index])),
    ...(both
      ? [
          invalidValue(
            field,
            actions,
            'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
          ),
        ]
      : []),
  ]
}
