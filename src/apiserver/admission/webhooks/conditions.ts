import { forbidden } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { RequestFacts } from '#apiserver/admission/review-request.ts'
import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { RegisteredWebhook } from './webhook-list.ts'

/** What a webhook's match conditions are about. */
export interface ConditionSubject {
  readonly facts: RequestFacts
  /** In the version of the facts, as `old`. */
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
  readonly request: AdmissionRequest
  readonly authorize: Authorizer
}

/**
 * Whether a webhook's match conditions let it be asked. @throws StatusError 403 when they fail and
 * the webhook must not be passed over
 */
export async function fulfilsConditions(registered: RegisteredWebhook, subject: ConditionSubject): Promise<boolean> {
  // Late, because most webhooks have no conditions, and a server without any should start without
  // all of CEL.
  const { evaluateWebhookConditions } = await import('../expressions/webhook-conditions.ts')
  const result = evaluateWebhookConditions(registered, subject)
  if ('matches' in result) return result.matches
  if (registered.ignoresFailure) return false
  const { definition, name } = subject.request.target
  throw forbidden(definition, name, result.fault)
}
