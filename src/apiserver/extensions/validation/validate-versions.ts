import type { CustomResourceDefinitionVersion } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import { decodeSchema } from '#apimachinery/structural/definition/decode-schema.ts'
import { validateSchema } from '#apimachinery/structural/definition/validate-schema.ts'
import { validateColumns } from './validate-columns.ts'
import { validateSelectableFields } from './validate-selectable-fields.ts'
import { validateSubresources } from './validate-subresources.ts'

type Versions = readonly CustomResourceDefinitionVersion[]

/**
 * Validates versions. Properties that are equal in all versions are reported once at
 * `spec.validation` etc., as kube-apiserver does.
 */
export function validateVersions(versions: Versions, old: Versions | undefined): FieldError[] {
  const isCommon = (key: SharedKey): boolean => isAlike(versions, key)
  const place = (key: SharedKey, index: number): string | undefined => {
    if (!isCommon(key)) return `spec.versions[${index}].${key}`
    return index === 0 ? `spec.${commonNames[key]}` : undefined
  }
  const names = versions.map(({ name }) => name)
  return [
    ...versions.flatMap((version, index) =>
      version.schema?.openAPIV3Schema === undefined ? [requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
    ),
    ...versions.flatMap((version, index) => validateOwn(version, index)),
    ...versions.flatMap((version, index) => validateShared(version, old, (key) => place(key, index))),
    ...(new Set(names).size === names.length ? [] : [invalidValue('spec.versions', names, 'must contain unique version names')]),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [invalidValue('spec.versions', names, 'must have exactly one version marked as storage version')]),
  ]
}

type SharedKey = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'

const commonNames: Readonly<Record<SharedKey, string>> = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
}

/** Reports whether all versions have the same value. */
export function isAlike(versions: Versions, key: SharedKey): boolean {
  const [first, ...others] = versions
  return first?.[key] !== undefined && others.every((version) => deepEqual(version[key], first[key]))
}

function validateOwn({ name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion, index: number): FieldError[] {
  const field = `spec.versions[${index}]`
  const faults = validateName(name, 'dns-1035-label')
  return [
    ...(faults.length === 0 ? [] : [invalidValue(`${field}.name`, name, faults.join(','))]),
    ...validateWarning(deprecated === true, deprecationWarning).map((why) =>
      invalidValue(`${field}.deprecationWarning`, deprecationWarning, why),
    ),
  ]
}

const longestWarning = 256

function validateWarning(deprecated: boolean, warning: string | undefined): string[] {
  if (warning === undefined) return []
  if (!deprecated) return ['can only be set for deprecated versions']
  const unprintable = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u)
  return [
    ...(Buffer.byteLength(warning) > longestWarning ? [`must be <= ${longestWarning} characters long`] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(unprintable < 0
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(warning.slice(0, unprintable))}`,
        ]),
  ]
}

function validateShared(
  version: CustomResourceDefinitionVersion,
  old: Versions | undefined,
  place: (key: SharedKey) => string | undefined,
): FieldError[] {
  const [schemaField, subresourcesField, columnsField, fieldsField] = [
    place('schema'),
    place('subresources'),
    place('additionalPrinterColumns'),
    place('selectableFields'),
  ]
  const before = old?.find(({ name }) => name === version.name)
  const schema = version.schema?.openAPIV3Schema
  return [
    ...(schemaField === undefined || schema === undefined ? [] : validateVersionSchema(version, `${schemaField}.openAPIV3Schema`)),
    ...(subresourcesField === undefined ? [] : validateSubresources(version.subresources, subresourcesField)),
    ...(columnsField === undefined ? [] : validateColumns(version.additionalPrinterColumns ?? [], columnsField)),
    ...(fieldsField === undefined
      ? []
      : validateSelectableFields(version.selectableFields ?? [], schema, fieldsField, before?.selectableFields ?? [])),
  ]
}

function validateVersionSchema({ schema, subresources }: CustomResourceDefinitionVersion, field: string): FieldError[] {
  const decoded = decodeSchema(schema?.openAPIV3Schema, field)
  // A schema that cannot be decoded is not validated further.
  if (decoded.faults.length > 0) return [...decoded.faults]
  const hasStatus = subresources?.status !== undefined && subresources.status !== null
  return validateSchema(decoded.schema, field, { hasStatus })
}
