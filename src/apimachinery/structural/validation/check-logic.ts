import type { FieldError } from '#apimachinery/errors.ts'
import { allowedTypes, typeOf } from './check-scalars.ts'
import type { StructuralSchema } from '../schema.ts'
import { type Check, uncorrelated, type ValidationWalk } from './validation-walk.ts'

/** Compiles a nested schema. */
export type CompileCheck = (schema: StructuralSchema) => Check

/** Kubernetes reports these without a field, and with the path in the text. */
function failure(walk: ValidationWalk, why: string): FieldError {
  const message = `Invalid value: "": "${walk.location.toString()}" ${why}`
  return { reason: 'FieldValueInvalid', field: '<nil>', message }
}

interface Attempts {
  readonly valid: number
  /** Errors of the best matching alternative when none is valid. */
  readonly best: readonly FieldError[]
}

function attempt(checks: readonly Check[], value: unknown, walk: ValidationWalk): Attempts {
  let valid = 0
  let best: { errors: readonly FieldError[]; fits: number } | undefined
  for (const check of checks) {
    const found = walk.probe(check, value, uncorrelated)
    if (found.errors.length === 0) valid += 1
    else if (best === undefined || found.fits > best.fits) best = found
  }
  return { valid, best: valid === 0 ? (best?.errors ?? []) : [] }
}

/** Types of alternatives that restrict only the type, as in every int-or-string field. */
function onlyTypes(schemas: readonly StructuralSchema[]): ReadonlySet<string> | undefined {
  const plain = schemas.every((schema) => Object.keys(schema).every((key) => key === 'type' || key === 'description'))
  return plain ? new Set(schemas.flatMap((schema) => allowedTypes(schema))) : undefined
}

function checkAnyOf(schemas: readonly StructuralSchema[], compile: CompileCheck): Check {
  const checks = schemas.map(compile)
  const types = onlyTypes(schemas)
  return (value, _old, walk) => {
    if (types?.has(typeOf(value)) === true) return
    const { valid, best } = attempt(checks, value, walk)
    if (valid === 0) walk.errors.push(failure(walk, 'must validate at least one schema (anyOf)'), ...best)
  }
}

function checkOneOf(schemas: readonly StructuralSchema[], compile: CompileCheck): Check {
  const checks = schemas.map(compile)
  return (value, _old, walk) => {
    const { valid, best } = attempt(checks, value, walk)
    if (valid === 1) return
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    walk.errors.push(failure(walk, `must validate one and only one schema (oneOf). ${found}`), ...best)
  }
}

function checkAllOf(schemas: readonly StructuralSchema[], compile: CompileCheck): Check {
  const checks = schemas.map(compile)
  return (value, _old, walk) => {
    const before = walk.errors.length
    let valid = 0
    for (const check of checks) {
      const start = walk.errors.length
      check(value, uncorrelated, walk)
      if (walk.errors.length === start) valid += 1
    }
    if (walk.errors.length > before) {
      walk.report(failure(walk, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`))
    }
  }
}

function checkNot(schema: StructuralSchema, compile: CompileCheck): Check {
  const check = compile(schema)
  return (value, _old, walk) => {
    if (walk.probe(check, value, uncorrelated).errors.length === 0) walk.report(failure(walk, 'must not validate the schema (not)'))
  }
}

/**
 * The checks for anyOf, oneOf, allOf and not, in Kubernetes' order. Nothing inside of them is
 * forgiven for being as it was, as in Kubernetes: an error that is left out makes a `not` fail, and
 * a second alternative of `oneOf` valid.
 */
export function checkLogic(schema: StructuralSchema, compile: CompileCheck): Check[] {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema
  const checks: Check[] = []
  if (anyOf.length > 0) checks.push(checkAnyOf(anyOf, compile))
  if (oneOf.length > 0) checks.push(checkOneOf(oneOf, compile))
  if (allOf.length > 0) checks.push(checkAllOf(allOf, compile))
  if (not !== undefined) checks.push(checkNot(not, compile))
  return checks
}
