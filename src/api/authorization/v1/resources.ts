import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from './subject-access-review.ts'

/** `/apis/authorization.k8s.io/v1/subjectaccessreviews`: create only. */
export const subjectAccessReviews: ResourceType<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
}

/** `/apis/authorization.k8s.io/v1/localsubjectaccessreviews`: create only. */
export const localSubjectAccessReviews: ResourceType<LocalSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
}

/** `/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`: create only. */
export const selfSubjectAccessReviews: ResourceType<SelfSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
}

/** `/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`: create only. */
export const selfSubjectRulesReviews: ResourceType<SelfSubjectRulesReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
}
