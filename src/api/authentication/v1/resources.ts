import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { SelfSubjectReview, TokenReview } from './token-review.ts'

/** `/apis/authentication.k8s.io/v1/tokenreviews`: create only. */
export const tokenReviews: ResourceType<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
}

/** `/apis/authentication.k8s.io/v1/selfsubjectreviews`: create only. */
export const selfSubjectReviews: ResourceType<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
}
