import { type CelBudget, createBudget, matchConditionsCostLimit, objectCostLimit } from '#apimachinery/cel/budget.ts'
import { CelError } from '#apimachinery/cel/errors.ts'
import type { CelBindings } from '#apimachinery/cel/evaluator/frame.ts'
import { fromJson } from '#apimachinery/cel/values/json-values.ts'
import type { CelMap, CelValue } from '#apimachinery/cel/values/values.ts'
import type { ValidatingAdmissionPolicySpec } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { StatusReason } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { RequestFacts } from '#apiserver/admission/review-request.ts'
import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { expressionAuthorizer } from '../expressions/authorize-expressions.ts'
import { evaluateConditions, outcome } from '../expressions/match-conditions.ts'
import { requestBindings } from '../expressions/request-variables.ts'
import { compilePolicy, type CompiledValidation, type PolicyExpressions } from './policy-expressions.ts'

/** Input of a policy. */
export interface PolicySubject {
  readonly facts: RequestFacts
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
  /** Null: the policy has no parameters. */
  readonly params: KubeObject | null
  /** Null for cluster-scoped objects. */
  readonly namespace: KubeObject | null
  readonly user: UserInfo
  readonly authorize: Authorizer
}

/** A failed validation. */
export interface PolicyFinding {
  readonly message: string
  /** Reason of the refusal. */
  readonly reason: StatusReason
}

/** Result of a policy. */
export interface PolicyEvaluation {
  readonly findings: readonly PolicyFinding[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

const nothing: PolicyEvaluation = { findings: [], auditAnnotations: {} }
const longestMessage = 5 * 1024

/** Keyed by the stored spec, which is replaced at every change. */
const known = new WeakMap<ValidatingAdmissionPolicySpec, PolicyExpressions>()

/** Evaluates a policy. An expression that fails is a finding, unless failurePolicy is Ignore. */
export function evaluatePolicy(spec: ValidatingAdmissionPolicySpec, subject: PolicySubject): PolicyEvaluation {
  let expressions = known.get(spec)
  if (expressions === undefined) {
    expressions = compilePolicy(spec)
    known.set(spec, expressions)
  }
  const failing = spec.failurePolicy !== 'Ignore'
  const plain: CelBindings = {
    ...requestBindings(subject.facts, subject, expressionAuthorizer(subject.authorize, subject.user)),
    params: fromJson(subject.params),
    namespaceObject: fromJson(subject.namespace),
  }
  const conditions = evaluateConditions(expressions.conditions, plain, createBudget(matchConditionsCostLimit))
  if ('fault' in conditions) return failing ? { findings: [invalid(conditions.fault)], auditAnnotations: {} } : nothing
  if (!conditions.matches) return nothing

  const budget = createBudget(objectCostLimit)
  const bindings = withVariables(plain, expressions, budget)
  return {
    findings: expressions.validations.flatMap((validation) => findingsOf(validation, bindings, budget, failing)),
    auditAnnotations: annotationsOf(expressions, bindings, budget),
  }
}

function invalid(message: string): PolicyFinding {
  return { message, reason: 'Invalid' }
}

function findingsOf(
  { validation, expression, message }: CompiledValidation,
  bindings: CelBindings,
  budget: CelBudget,
  failing: boolean,
): PolicyFinding[] {
  const result = outcome(expression, bindings, budget)
  if ('fault' in result) return failing ? [invalid(result.fault)] : []
  if (result.value === true) return []
  const said = message === undefined ? undefined : outcome(message, bindings, budget)
  const computed = said !== undefined && 'value' in said && isMessage(said.value) ? said.value.trim() : undefined
  const given = (validation.message ?? '') === '' ? `failed expression: ${validation.expression.trim()}` : validation.message
  return [{ message: computed ?? given ?? '', reason: (validation.reason ?? 'Invalid') as StatusReason }]
}

function isMessage(value: CelValue): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longestMessage && !value.includes('\n')
}

function annotationsOf({ auditAnnotations }: PolicyExpressions, bindings: CelBindings, budget: CelBudget): Record<string, string> {
  const annotations: Record<string, string> = {}
  for (const { key, expression } of auditAnnotations) {
    const result = outcome(expression, bindings, budget)
    if ('value' in result && typeof result.value === 'string') annotations[key] = result.value
  }
  return annotations
}

/**
 * Evaluates each variable once, when it is first used. An error in a variable is an error of every
 * expression that uses it.
 */
function withVariables(plain: CelBindings, { variables }: PolicyExpressions, budget: CelBudget): CelBindings {
  const values = new Map<string, CelValue>()
  const byName = new Map(variables.map(({ name, expression }) => [name, expression]))
  const map: CelMap = {
    kind: 'map',
    typeName: 'kubernetes.variables',
    size: byName.size,
    has: (key) => typeof key === 'string' && byName.has(key),
    keys: () => byName.keys(),
    get(key) {
      const expression = typeof key === 'string' ? byName.get(key) : undefined
      if (typeof key !== 'string' || expression === undefined) return undefined
      const before = values.get(key)
      if (before !== undefined) return before
      const result = outcome(expression, bindings, budget)
      if ('fault' in result) throw new CelError(`composited variable "${key}" fails to evaluate: ${result.fault}`)
      values.set(key, result.value)
      return result.value
    },
  }
  const bindings: CelBindings = { ...plain, variables: map }
  return bindings
}
