import type { LimitRange, LimitRangeItem } from '#api/core/v1/limit-range.ts'
import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import { limitRanges, resourceQuotas } from '#api/core/v1/resources.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, Strategy } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { quotaScopeFaults } from './quota-scopes.ts'
import { immutableField } from '../checks/immutable-field.ts'

type Amounts = Readonly<Record<string, string | number>>

const limitRangeStrategy: Strategy = {
  prepareForCreate: (object) => withDefaults(object as LimitRange),
  prepareForUpdate: (object) => withDefaults(object as LimitRange),
  validate: (object) => ((object as LimitRange).spec?.limits ?? []).flatMap(validateItem),
}

/** Defaults the limit to `max`, and the request to the limit. */
function withDefaults(range: LimitRange): LimitRange {
  const { spec } = range
  if (spec?.limits === undefined) return range
  return { ...range, spec: { ...spec, limits: spec.limits.map((item) => (item.type === 'Container' ? withItemDefaults(item) : item)) } }
}

function withItemDefaults(item: LimitRangeItem): LimitRangeItem {
  const limits = { ...item.max, ...item.default }
  const requests = { ...item.min, ...limits, ...item.defaultRequest }
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  }
}

function validateItem(item: LimitRangeItem, index: number): FieldError[] {
  const field = `spec.limits[${index}]`
  const { min = {}, max = {}, defaultRequest = {} } = item
  return [
    ...notAbove(field, 'min', min, 'max', max, 'value'),
    ...notAbove(field, 'default', item.default ?? {}, 'max', max, 'value'),
    ...notAbove(field, 'defaultRequest', defaultRequest, 'default', item.default ?? {}, 'value'),
    ...notAbove(field, 'min', min, 'defaultRequest', defaultRequest, 'value'),
  ]
}

function notAbove(field: string, low: string, lower: Amounts, high: string, upper: Amounts, what: string): FieldError[] {
  return Object.entries(lower).flatMap(([name, amount]) => {
    const bound = upper[name]
    if (bound === undefined || parseQuantity(amount).nanos <= parseQuantity(bound).nanos) return []
    return [invalidValue(`${field}.${low}[${name}]`, String(amount), `${low} ${what} ${amount} is greater than ${high} ${what} ${bound}`)]
  })
}

const quotaStrategy: Strategy = {
  validate(object, old) {
    const { spec = {} } = object as ResourceQuota
    return [
      ...Object.entries(spec.hard ?? {}).flatMap(([name, amount]) => validateHard(name, amount)),
      ...quotaScopeFaults(spec),
      ...(old === undefined ? [] : immutableField('spec.scopes', spec.scopes, (old as ResourceQuota).spec?.scopes)),
    ]
  },
}

function validateHard(name: string, amount: string | number): FieldError[] {
  const { nanos } = parseQuantity(amount)
  const field = `spec.hard[${name}]`
  if (nanos < 0n) return [invalidValue(field, String(amount), 'must be greater than or equal to 0')]
  const isCount = name.startsWith('count/') || ['pods', 'services', 'secrets', 'configmaps', 'persistentvolumeclaims'].includes(name)
  return isCount && nanos % 1_000_000_000n !== 0n ? [invalidValue(field, String(amount), 'must be an integer')] : []
}

function usage({ status }: ResourceQuota, wanted: (name: string) => boolean): string {
  const names = Object.keys(status?.hard ?? {}).filter(wanted)
  return names
    .toSorted()
    .map((name) => `${name}: ${status?.used?.[name] ?? '0'}/${status?.hard?.[name] ?? '0'}`)
    .join(', ')
}

const isLimit = (name: string): boolean => name.startsWith('limits.')
const quota = columnsOf<ResourceQuota>()
const range = columnsOf<LimitRange>()

/** Resources that bound what a namespace may use. */
export function resourceLimitDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...resourceQuotas,
      shortNames: ['quota'],
      schema: schemaOf(resourceQuotas),
      hasStatus: true,
      deleteReturnsObject: true,
      columns: [
        nameColumn,
        quota('Request', (object) => usage(object, (name) => !isLimit(name))),
        quota('Limit', (object) => usage(object, isLimit)),
        ageColumn,
      ],
      strategy: quotaStrategy,
    }),
    defineResource({
      ...limitRanges,
      shortNames: ['limits'],
      schema: schemaOf(limitRanges),
      columns: [nameColumn, range('Created At', ({ metadata }) => metadata.creationTimestamp ?? '')],
      strategy: limitRangeStrategy,
    }),
  ]
}
