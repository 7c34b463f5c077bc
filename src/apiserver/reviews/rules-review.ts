import { badRequest } from '#apimachinery/errors.ts'
import type { PolicyRule } from '#apiserver/authorization/policy.ts'
import type { Rbac } from '#apiserver/authorization/rbac.ts'
import { type Review, reviewKind, specOf } from './review.ts'

function answerOf(rules: readonly PolicyRule[]): object {
  const named = (names: readonly string[] | undefined): object => (names === undefined ? {} : { resourceNames: names })
  const resourceRules = rules
    .filter((rule) => rule.resources !== undefined)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({ verbs, apiGroups, resources, ...named(resourceNames) }))
  const nonResourceRules = rules
    .filter((rule) => rule.nonResourceURLs !== undefined)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }))
  return { resourceRules, nonResourceRules, incomplete: false }
}

/** SelfSubjectRulesReview: `kubectl auth can-i --list`. */
export function rulesReview(rbac: Rbac): Review {
  return {
    definition: reviewKind('authorization.k8s.io', 'v1', 'SelfSubjectRulesReview'),
    answer(question, user) {
      const { namespace = '' } = specOf<{ namespace: string }>(question)
      if (namespace === '') throw badRequest('no namespace on request')
      return answerOf(rbac.rulesIn(user, namespace))
    },
  }
}
