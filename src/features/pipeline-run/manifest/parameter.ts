import { assertUnique, type Fault, type Fields, ManifestInvalid } from './fields.ts'

/** Value of a parameter or result. */
export type ParamValue = string | readonly string[]

/** A parameter that a Task or Pipeline declares. */
export interface ParamSpec {
  readonly name: string
  readonly type: 'string' | 'array'
  readonly description?: string
  readonly default?: ParamValue
  /** The only values that are allowed. */
  readonly enum?: readonly string[]
}

/** A value for a parameter, with references. */
export interface Param {
  readonly name: string
  readonly value: ParamValue
}

/** Reads the declared parameters of a Task or Pipeline. */
export function parseParamSpecs(spec: Fields, faults: Fault[]): readonly ParamSpec[] {
  const params = spec.list('params').map(parseParamSpec)
  assertUnique(params, spec.pathOf('params'), faults)
  return params
}

function parseParamSpec(fields: Fields): ParamSpec {
  const name = fields.requiredText('name')
  const value = parseValue(fields, 'default')
  const declared = fields.text('type') ?? (typeof value === 'object' ? 'array' : 'string')
  if (declared === 'object') fields.fault('type', 'object parameters are not supported: use one parameter for each property')
  else if (declared !== 'string' && declared !== 'array') fields.fault('type', `must be string or array, and is "${declared}"`)
  const type = declared === 'array' ? 'array' : 'string'
  if (value !== undefined && (typeof value === 'string') !== (type === 'string')) fields.fault('default', `must be of the type ${type}`)
  const description = fields.text('description')
  const allowed = fields.texts('enum')
  fields.ignore('properties')
  fields.onlyKnown()
  return {
    name,
    type,
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    ...(allowed.length === 0 ? {} : { enum: allowed }),
  }
}

/** Reads the values that a pipeline gives a task. */
export function parseParams(fields: Fields, faults: Fault[]): readonly Param[] {
  const params = fields.list('params').map((param) => {
    const name = param.requiredText('name')
    const value = parseValue(param, 'value')
    if (value === undefined) param.fault('value', 'is missing')
    param.onlyKnown()
    return { name, value: value ?? '' }
  })
  assertUnique(params, fields.pathOf('params'), faults)
  return params
}

function parseValue(fields: Fields, name: string): ParamValue | undefined {
  const value = fields.raw(name)
  if (value === undefined) return undefined
  if (Array.isArray(value)) return fields.texts(name)
  if (typeof value === 'object') {
    fields.fault(name, 'object parameters are not supported: use one parameter for each property')
    return undefined
  }
  return fields.text(name)
}

/**
 * Completes the given values by defaults. Pure. @throws ManifestInvalid for values that are
 * missing, unknown, of the wrong type or not allowed
 */
export function completeParams(
  subject: string,
  specs: readonly ParamSpec[],
  given: Readonly<Record<string, ParamValue>>,
): Readonly<Record<string, ParamValue>> {
  const faults: Fault[] = []
  const fault = (name: string, message: string): void => void faults.push({ field: `params.${name}`, message })
  for (const name of Object.keys(given))
    if (!specs.some((spec) => spec.name === name))
      fault(name, `there is no such parameter; there are ${specs.map((spec) => spec.name).join(', ') || 'none'}`)
  const values = specs.flatMap((spec): [string, ParamValue][] => {
    const value = given[spec.name] ?? spec.default
    if (value === undefined) {
      fault(spec.name, `has no value and no default: add it by -p ${spec.name}=…`)
      return []
    }
    if ((typeof value === 'string') !== (spec.type === 'string')) fault(spec.name, `must be of the type ${spec.type}`)
    const { enum: allowed } = spec
    const other = [value].flat().find((one) => allowed !== undefined && !allowed.includes(one))
    if (other !== undefined) fault(spec.name, `must be one of ${allowed?.join(', ')}, and is "${other}"`)
    return [[spec.name, value]]
  })
  if (faults.length > 0) throw new ManifestInvalid(subject, faults)
  return Object.fromEntries(values)
}
