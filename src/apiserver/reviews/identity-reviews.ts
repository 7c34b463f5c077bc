import { badRequest } from '#apimachinery/errors.ts'
import type { TokenCheck } from '#apiserver/authentication/bearer-tokens.ts'
import { type Review, reviewKind, specOf } from './review.ts'

const group = 'authentication.k8s.io'

/** TokenReview, with which components authenticate their callers. */
export function tokenReview(checkToken: TokenCheck): Review {
  return {
    definition: reviewKind(group, 'v1', 'TokenReview'),
    answer(question) {
      const { token = '', audiences = [] } = specOf<{ token: string; audiences: readonly string[] }>(question)
      if (token === '') throw badRequest('token is required for TokenReview in authentication')
      const verdict = checkToken(token, audiences.length === 0 ? undefined : audiences)
      if (verdict.user === undefined) return { user: {}, error: `[invalid bearer token, ${verdict.problem}]` }
      return { authenticated: true, user: verdict.user, ...(verdict.audiences.length === 0 ? {} : { audiences: verdict.audiences }) }
    },
  }
}

/** SelfSubjectReview: `kubectl auth whoami`, which in 1.27 uses the beta versions only. */
export function selfSubjectReviews(): readonly Review[] {
  return ['v1', 'v1beta1', 'v1alpha1'].map((version) => ({
    definition: reviewKind(group, version, 'SelfSubjectReview'),
    answer: (_question, userInfo) => ({ userInfo }),
  }))
}
