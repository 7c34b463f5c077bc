import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { compileJsonPath } from '#apimachinery/json-path.ts'
import { validateName } from '#apimachinery/names.ts'
import { immutable, required, unsupported } from './field-faults.ts'
import { validateConversion } from './validate-conversion.ts'
import { validateStructure } from './validate-structure.ts'

const maxSelectableFields = 8
const approvalAnnotation = 'api-approved.kubernetes.io'
const columnTypes: readonly string[] = ['boolean', 'date', 'integer', 'number', 'string']

/** What is wrong with a definition, and with how it changed. */
export function validateDefinition(definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  const { spec, metadata } = definition
  if (spec?.names === undefined || spec.versions === undefined) return [required('spec')]
  return [
    ...validateIdentity(metadata?.name ?? '', spec, metadata?.annotations),
    ...validateVersions(spec.versions),
    ...validateConversion(spec.conversion, 'spec.conversion'),
    ...(old === undefined ? [] : validateChange(definition, old)),
  ]
}

function validateIdentity(
  name: string,
  spec: CustomResourceDefinitionSpec,
  annotations: Readonly<Record<string, string>> | undefined,
): FieldError[] {
  const { group, names, scope } = spec
  const wanted = `${names.plural}.${group}`
  return [
    ...(name === wanted ? [] : [invalidValue('metadata.name', name, `must be spec.names.plural+"."+spec.group`)]),
    ...(group === ''
      ? [required('spec.group')]
      : validateName(group, 'dns-subdomain').map((why) => invalidValue('spec.group', group, why))),
    ...(group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')]),
    ...(isProtected(group) && annotations?.[approvalAnnotation] === undefined
      ? [
          required(
            `metadata.annotations[${approvalAnnotation}]`,
            'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
          ),
        ]
      : []),
    ...(scope === 'Namespaced' || scope === 'Cluster' ? [] : [unsupported('spec.scope', scope, ['Cluster', 'Namespaced'])]),
    ...validateNames(names),
  ]
}

function isProtected(group: string): boolean {
  return group === 'k8s.io' || group === 'kubernetes.io' || group.endsWith('.k8s.io') || group.endsWith('.kubernetes.io')
}

function validateNames(names: CustomResourceDefinitionSpec['names']): FieldError[] {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names
  const label = (field: string, value: string): FieldError[] =>
    validateName(value.toLowerCase(), 'dns-label').map((why) => invalidValue(`spec.names.${field}`, value, why))
  return [
    ...label('plural', plural),
    ...label('singular', singular),
    ...label('kind', kind),
    ...label('listKind', listKind),
    ...shortNames.flatMap((name, index) => label(`shortNames[${index}]`, name)),
    ...categories.flatMap((name, index) => label(`categories[${index}]`, name)),
    ...(kind === listKind ? [invalidValue('spec.names.listKind', listKind, 'kind and listKind may not be the same')] : []),
  ]
}

function validateVersions(versions: readonly CustomResourceDefinitionVersion[]): FieldError[] {
  const names = versions.map(({ name }) => name)
  const stored = versions.filter(({ storage }) => storage)
  return [
    ...(stored.length === 1 ? [] : [invalidValue('spec.versions', names, 'must have exactly one version marked as storage version')]),
    ...(new Set(names).size === names.length ? [] : [invalidValue('spec.versions', names, 'must contain unique version names')]),
    ...versions.flatMap((version, index) => validateVersion(version, `spec.versions[${index}]`)),
  ]
}

function validateVersion(version: CustomResourceDefinitionVersion, field: string): FieldError[] {
  const { name, schema, additionalPrinterColumns = [], selectableFields = [], subresources } = version
  const root = schema?.openAPIV3Schema
  return [
    ...validateName(name, 'dns-label').map((why) => invalidValue(`${field}.name`, name, why)),
    ...(root === undefined
      ? [required(`${field}.schema.openAPIV3Schema`, 'schemas are required')]
      : validateStructure(root, `${field}.schema.openAPIV3Schema`)),
    ...additionalPrinterColumns.flatMap((column, index) => validateColumn(column, `${field}.additionalPrinterColumns[${index}]`)),
    ...(selectableFields.length > maxSelectableFields
      ? [
          {
            reason: 'FieldValueTooMany',
            field: `${field}.selectableFields`,
            message: `Too many: ${selectableFields.length}: must have at most ${maxSelectableFields} items`,
          } as const,
        ]
      : []),
    ...selectableFields.flatMap(({ jsonPath }, index) => validatePath(jsonPath, `${field}.selectableFields[${index}].jsonPath`)),
    ...validateScale(subresources?.scale, `${field}.subresources.scale`),
  ]
}

function validateColumn({ name, type, jsonPath }: { name: string; type: string; jsonPath: string }, field: string): FieldError[] {
  return [
    ...(name === '' || name === undefined ? [required(`${field}.name`)] : []),
    ...(columnTypes.includes(type) ? [] : [unsupported(`${field}.type`, type, columnTypes)]),
    ...validatePath(jsonPath, `${field}.jsonPath`),
  ]
}

function validatePath(path: string | undefined, field: string): FieldError[] {
  if (path === undefined || path === '') return [required(field, 'JSONPath is required')]
  try {
    compileJsonPath(path)
    return []
  } catch (error) {
    return [invalidValue(field, path, error instanceof Error ? error.message : String(error))]
  }
}

const dotPath = /^(\.[A-Za-z_][\w-]*)+$/

function validateScale(scale: NonNullable<CustomResourceDefinitionVersion['subresources']>['scale'], field: string): FieldError[] {
  if (scale === undefined || scale === null) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale
  const check = (name: string, path: string | undefined, roots: readonly string[]): FieldError[] => {
    if (path === undefined || path === '') return [required(`${field}.${name}`)]
    if (!dotPath.test(path)) return [invalidValue(`${field}.${name}`, path, 'must be a simple json path in dot notation')]
    return roots.some((root) => path.startsWith(`.${root}.`))
      ? []
      : [invalidValue(`${field}.${name}`, path, `must be under .${roots.join(' or .')}`)]
  }
  return [
    ...check('specReplicasPath', specReplicasPath, ['spec']),
    ...check('statusReplicasPath', statusReplicasPath, ['status']),
    ...(labelSelectorPath === undefined || labelSelectorPath === ''
      ? []
      : check('labelSelectorPath', labelSelectorPath, ['spec', 'status'])),
  ]
}

/** Once established, objects exist under the group, the scope and the names. */
function validateChange(definition: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] {
  const { spec } = definition
  const before = old.spec
  const established = isTrue(old.status?.conditions, 'Established')
  const served = new Set(spec.versions.map(({ name }) => name))
  const lost = (definition.status?.storedVersions ?? []).filter((version) => !served.has(version))
  return [
    ...immutable('spec.group', spec.group, before.group),
    ...immutable('spec.names.plural', spec.names.plural, before.names.plural),
    ...(established
      ? [...immutable('spec.scope', spec.scope, before.scope), ...immutable('spec.names.kind', spec.names.kind, before.names.kind)]
      : []),
    ...lost.map((version) =>
      invalidValue(
        'status.storedVersions',
        definition.status?.storedVersions,
        `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
      ),
    ),
  ]
}
