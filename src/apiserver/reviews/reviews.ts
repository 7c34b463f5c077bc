import { badRequest, invalid, methodNotAllowed, pathNotFound } from '#apimachinery/errors.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { negotiate } from '#apiserver/request/content-negotiation.ts'
import type { TokenCheck } from '#apiserver/authentication/bearer-tokens.ts'
import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { Rbac } from '#apiserver/authorization/rbac.ts'
import type { VirtualResource } from '#apiserver/discovery/api-groups.ts'
import { decode } from '#apiserver/codec/decode.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { withoutStatus } from '#apiserver/endpoints/write/status.ts'
import { headerOf } from '#apiserver/http/exchange.ts'
import { readObject } from '#apiserver/front/resources/body.ts'
import { mutationOptions } from '#apiserver/front/resources/query-options.ts'
import { noAcceptableAnswer } from '#apiserver/front/reply.ts'
import type { ResourceCall } from '#apiserver/front/resources/resource-handler.ts'
import { accessReviews } from './access-reviews.ts'
import { selfSubjectReviews, tokenReview } from './identity-reviews.ts'
import type { Review } from './review.ts'
import { rulesReview } from './rules-review.ts'

/** Access and identity reviews. */
export interface Reviews {
  readonly resources: readonly VirtualResource[]
  /** Returns undefined for other requests. */
  handle(call: ResourceCall): Promise<void> | undefined
}

/** Options of {@link createReviews}. */
export interface ReviewsOptions {
  readonly authorize: Authorizer
  readonly rbac: Rbac
  readonly checkToken: TokenCheck
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Serves `kubectl auth can-i`, `kubectl auth whoami`, and delegated authentication and
 * authorization of components.
 */
export function createReviews({ authorize, rbac, checkToken, now }: ReviewsOptions): Reviews {
  const reviews: readonly Review[] = [...accessReviews(authorize), rulesReview(rbac), tokenReview(checkToken), ...selfSubjectReviews()]

  const answerTo = async ({ definition, answer }: Review, call: ResourceCall): Promise<void> => {
    const { exchange, reply, info, query, user } = call
    if (info.verb !== 'create' || info.name !== '') throw methodNotAllowed(definition, info.verb)
    if (definition.namespaced !== (info.namespace !== undefined)) throw pathNotFound()
    const negotiated = negotiate(headerOf(exchange.headers, 'accept'), { list: false, watch: false, objectsOnly: true })
    if (negotiated === undefined) throw noAcceptableAnswer()
    const mutation = mutationOptions(query, 'CreateOptions')
    const body = await readObject(exchange, definition)
    if (body === undefined) throw badRequest(`the body is empty: it must be a ${definition.kind}`)
    // Go clients send an empty status.
    const question = withoutStatus(decode(definition, body, mutation, reply))
    const faults = validateStructural(question, definition.schema, { integerFormats: true })
    if (faults.length > 0) throw invalid(definition, '', faults)
    const metadata = { ...question.metadata, creationTimestamp: rfc3339(now()) }
    const answered = { ...question, metadata, status: answer(question, user, info.namespace) }
    return reply.sendValue(201, negotiated.format, answered)
  }

  return {
    resources: reviews.map(({ definition }) => definition),
    handle(call) {
      const { info } = call
      const review = reviews.find(
        ({ definition: { group, version, plural } }) => group === info.group && version === info.version && plural === info.resource,
      )
      return review === undefined ? undefined : answerTo(review, call)
    },
  }
}
