import { type CelProgram, compileExpression } from '#apimachinery/cel/compile.ts'
import { createEnvironment } from '#apimachinery/cel/environment.ts'
import { CelCompileError } from '#apimachinery/cel/errors.ts'
import { mentions } from '#apimachinery/cel/syntax/mentions.ts'
import { type CelType, optionalOf } from '#apimachinery/cel/types/types.ts'
import type { ValidationRule } from '../schema.ts'

/** A rule of `x-kubernetes-validations`, ready to be evaluated; or why it is not. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly program: CelProgram | undefined
  readonly fault: string | undefined
  readonly message: CelProgram | undefined
  readonly messageFault: string | undefined
  /** Reports whether the rule uses oldSelf: then it applies to updates only. */
  readonly usesOldSelf: boolean
  /** Path of the error below the value, as the rule declares it; normalised. */
  readonly fieldPath?: string | undefined
}

/** Compiles a rule for values of a type. */
export function compileRule(rule: ValidationRule, type: CelType): CompiledRule {
  const environment = createEnvironment({ self: type, oldSelf: rule.optionalOldSelf === true ? optionalOf(type) : type })
  const compile = (source: string, wanted: 'bool' | 'string'): Pick<CompiledRule, 'program' | 'fault'> => {
    const what = wanted === 'bool' ? { failed: 'compilation failed', other: 'cel expression must evaluate to a bool' } : messageTexts
    try {
      const program = compileExpression(source, environment)
      return program.type.kind === wanted ? { program, fault: undefined } : { program: undefined, fault: what.other }
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error
      return { program: undefined, fault: `${what.failed}: ${error.message}` }
    }
  }
  const { program, fault } = compile(rule.rule, 'bool')
  const { messageExpression = '' } = rule
  const message = messageExpression === '' || program === undefined ? undefined : compile(messageExpression, 'string')
  return {
    rule,
    program,
    fault,
    message: message?.program,
    messageFault: message?.fault,
    usesOldSelf: program !== undefined && mentions(program.checked.expr, 'oldSelf'),
  }
}

const messageTexts = { failed: 'messageExpression compilation failed', other: 'messageExpression must evaluate to a string' }
