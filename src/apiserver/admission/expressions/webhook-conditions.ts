import { createBudget, matchConditionsCostLimit } from '#apimachinery/cel/budget.ts'
import { type CelEnvironment, createEnvironment } from '#apimachinery/cel/environment.ts'
import type { MatchCondition } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { ConditionSubject } from '../webhooks/conditions.ts'
import { expressionAuthorizer } from './authorize-expressions.ts'
import { compiled, type CompiledExpression, evaluateConditions } from './match-conditions.ts'
import { requestBindings, requestVariables } from './request-variables.ts'

/** CEL environment of webhook match conditions. */
export const webhookEnvironment: CelEnvironment = createEnvironment(requestVariables)

/** Keyed by the list in the configuration, which is replaced at every change. */
const known = new WeakMap<readonly MatchCondition[], readonly CompiledExpression[]>()

/** Evaluates the match conditions of a webhook. */
export function evaluateWebhookConditions(
  { conditions }: { readonly conditions: readonly MatchCondition[] },
  { facts, object, old, request, authorize }: ConditionSubject,
): ReturnType<typeof evaluateConditions> {
  let expressions = known.get(conditions)
  if (expressions === undefined) {
    expressions = conditions.map(({ expression }) => compiled(expression, webhookEnvironment))
    known.set(conditions, expressions)
  }
  const bindings = requestBindings(facts, { object, old }, expressionAuthorizer(authorize, request.context.user))
  return evaluateConditions(expressions, bindings, createBudget(matchConditionsCostLimit))
}
