import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import { approvalAnnotation, approvalOf, isProtectedGroup } from '../api-approval.ts'
import { validateConversion } from './validate-conversion.ts'
import { validateNames, validateRequiredNames } from './validate-names.ts'
import { validateVersions } from './validate-versions.ts'

const scopes: readonly string[] = ['Cluster', 'Namespaced']

/**
 * Validates a definition and its changes. An unchanged spec is accepted, as it may be older than a
 * rule.
 */
export function validateDefinition(definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  const { spec, status, metadata } = definition
  if (spec?.names === undefined || spec.versions === undefined) return [requiredValue('spec')]
  const isSame = old !== undefined && deepEqual(spec, old.spec)
  return [
    ...(old === undefined ? validateOwnName(metadata?.name ?? '', spec) : []),
    ...(isSame ? [] : validateSpec(spec, old)),
    ...(status?.acceptedNames === undefined ? [] : validateNames(status.acceptedNames, 'status.acceptedNames')),
    ...validateStoredVersions(status?.storedVersions ?? [], spec),
    ...validateApproval(definition, old),
    ...validatePreserveUnknownFields(spec, old?.spec),
  ]
}

function validateOwnName(name: string, { names, group }: CustomResourceDefinitionSpec): FieldError[] {
  return name === `${names.plural}.${group}` ? [] : [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

function validateSpec(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinition | undefined): FieldError[] {
  return [
    ...validateGroup(spec.group),
    ...validateScope(spec.scope),
    ...validateVersions(spec.versions, old?.spec.versions),
    ...validateRequiredNames(spec.names, 'spec.names'),
    ...validateNames(spec.names, 'spec.names'),
    ...validateConversion(spec.conversion, 'spec.conversion'),
    ...(old === undefined ? [] : validateImmutable(spec, old)),
  ]
}

function validateGroup(group: string): FieldError[] {
  const field = 'spec.group'
  if (group === '') return [requiredValue(field)]
  const faults = validateName(group, 'dns-subdomain')
  if (faults.length > 0) return [invalidValue(field, group, faults.join(','))]
  return group.includes('.') ? [] : [invalidValue(field, group, 'should be a domain with at least one dot')]
}

function validateScope(scope: string): FieldError[] {
  if (scope === '') return [requiredValue('spec.scope')]
  return scopes.includes(scope) ? [] : [unsupportedValue('spec.scope', scope, scopes)]
}

/** Group, scope and names are immutable once established, as objects may exist. */
function validateImmutable(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinition): FieldError[] {
  const established = isTrue(old.status?.conditions, 'Established')
  return [
    ...(established
      ? [...immutable('spec.scope', spec.scope, old.spec.scope), ...immutable('spec.names.kind', spec.names.kind, old.spec.names.kind)]
      : []),
    ...immutable('spec.group', spec.group, old.spec.group),
    ...immutable('spec.names.plural', spec.names.plural, old.spec.names.plural),
  ]
}

function immutable(field: string, value: string, old: string): FieldError[] {
  return value === old ? [] : [invalidValue(field, value, 'field is immutable')]
}

/** A version in `status.storedVersions` cannot be removed. */
function validateStoredVersions(stored: readonly string[], { versions }: CustomResourceDefinitionSpec): FieldError[] {
  const field = 'status.storedVersions'
  if (stored.length === 0) return [invalidValue(field, stored, 'must have at least one stored version')]
  const known = new Set(versions.map(({ name }) => name))
  return [
    ...versions
      .filter(({ name, storage }) => storage && !stored.includes(name))
      .map(({ name }) => invalidValue(field, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((version, index) =>
      known.has(version)
        ? []
        : [
            invalidValue(
              `${field}[${index}]`,
              version,
              `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
            ),
          ],
    ),
  ]
}

function validateApproval({ spec, metadata }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!isProtectedGroup(spec.group)) return []
  const approval = approvalOf(metadata?.annotations)
  if (old !== undefined && approvalOf(old.metadata?.annotations).state === approval.state) return []
  const field = `metadata.annotations[${approvalAnnotation}]`
  if (approval.state === 'missing') return [requiredValue(field, approval.message)]
  return approval.state === 'invalid' ? [invalidValue(field, metadata?.annotations?.[approvalAnnotation], approval.message)] : []
}

function validatePreserveUnknownFields(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec | undefined): FieldError[] {
  if (spec.preserveUnknownFields !== true || old?.preserveUnknownFields === true) return []
  const why = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalidValue('spec.preserveUnknownFields', true, why)]
}
