import { forbidden } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { RequestFacts } from '#apiserver/admission/review-request.ts'
import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { RegisteredWebhook } from './webhook-list.ts'

/** Input of a webhook's match conditions. */
export interface ConditionSubject {
  readonly facts: RequestFacts
  /** In the version of the facts, like `old`. */
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
  readonly request: AdmissionRequest
  readonly authorize: Authorizer
}

/**
 * Evaluates the match conditions of a webhook. @throws StatusError 403 when they fail to evaluate
 * and failurePolicy is Fail
 */
export async function fulfilsConditions(registered: RegisteredWebhook, subject: ConditionSubject): Promise<boolean> {
  // Imported on first use, so that a server without conditions does not load CEL.
  const { evaluateWebhookConditions } = await import('../expressions/webhook-conditions.ts')
  const result = evaluateWebhookConditions(registered, subject)
  if ('matches' in result) return result.matches
  if (registered.ignoresFailure) return false
  const { definition, name } = subject.request.target
  throw forbidden(definition, name, result.fault)
}
