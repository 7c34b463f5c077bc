import { badRequest } from '#apimachinery/errors.ts'
import type { AccessAttributes, Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { type AccessQuestion, attributesOfReview, subjectOfReview } from './access-attributes.ts'
import { type Review, reviewKind, specOf } from './review.ts'

const group = 'authorization.k8s.io'

/**
 * SubjectAccessReview and its variants: `kubectl auth can-i`, and components on behalf of their
 * callers.
 */
export function accessReviews(authorize: Authorizer): readonly Review[] {
  const decide = (user: UserInfo, attributes: AccessAttributes): object => {
    const { allowed, reason } = authorize(user, attributes)
    return { allowed, ...(reason === '' ? {} : { reason }) }
  }
  const self = reviewKind(group, 'v1', 'SelfSubjectAccessReview')
  const other = reviewKind(group, 'v1', 'SubjectAccessReview')
  const local = reviewKind(group, 'v1', 'LocalSubjectAccessReview', true)
  return [
    { definition: self, answer: (question, user) => decide(user, attributesOfReview(self, specOf<AccessQuestion>(question))) },
    {
      definition: other,
      answer(question) {
        const spec = specOf<AccessQuestion>(question)
        return decide(subjectOfReview(other, spec), attributesOfReview(other, spec))
      },
    },
    {
      definition: local,
      answer(question, _user, namespace) {
        const spec = specOf<AccessQuestion>(question)
        const attributes = attributesOfReview(local, spec)
        if (attributes.kind === 'nonResource' || attributes.namespace !== namespace) {
          throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace ?? ''}`)
        }
        return decide(subjectOfReview(local, spec), attributes)
      },
    },
  ]
}
