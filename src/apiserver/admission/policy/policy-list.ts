import type {
  MatchResources,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { MatchCriteria } from '#apiserver/admission/matching.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'

/** A policy with one of its bindings, selectors compiled. */
export interface PolicyInForce {
  readonly policy: ValidatingAdmissionPolicy
  readonly binding: ValidatingAdmissionPolicyBinding
  /** matchConstraints of the policy. */
  readonly constraints: MatchCriteria
  /** matchResources of the binding. */
  readonly resources: MatchCriteria
}

/** Storage keys of policies and bindings. */
export const policyStorageKeys = {
  policies: 'admissionregistration.k8s.io/validatingadmissionpolicies',
  bindings: 'admissionregistration.k8s.io/validatingadmissionpolicybindings',
} as const

/** Policies with bindings, ordered by their names and those of the bindings. */
export interface PolicyList extends Disposable {
  readonly current: readonly PolicyInForce[]
}

/** Follows policies and bindings in the store, and compiles them again only after a change. */
export function createPolicyList(store: ObjectStore): PolicyList {
  let current: readonly PolicyInForce[] | undefined
  const forget = (): void => void (current = undefined)
  const subscriptions = Object.values(policyStorageKeys).map((key) => store.subscribe(key, undefined, forget))
  return {
    get current() {
      current ??= policiesInForce(objectsOf(store, policyStorageKeys.policies), objectsOf(store, policyStorageKeys.bindings))
      return current
    },
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]()
    },
  }
}

function objectsOf(store: ObjectStore, key: string): readonly KubeObject[] {
  return store.list(key).map(({ object }) => object)
}

function policiesInForce(policies: readonly KubeObject[], bindings: readonly KubeObject[]): readonly PolicyInForce[] {
  return policies.flatMap((object) => {
    const policy = object as ValidatingAdmissionPolicy
    const { matchConstraints } = policy.spec ?? {}
    if (matchConstraints === undefined) return []
    const constraints = criteriaOf(matchConstraints, [])
    return bindings
      .map((binding) => binding as ValidatingAdmissionPolicyBinding)
      .filter(({ spec }) => spec?.policyName === policy.metadata?.name)
      .map((binding) => ({ policy, binding, constraints, resources: criteriaOf(binding.spec?.matchResources ?? {}, undefined) }))
  })
}

/** @param everything rules to use when there are none */
function criteriaOf(resources: MatchResources, everything: [] | undefined): MatchCriteria {
  const { resourceRules = [], excludeResourceRules = [] } = resources
  return {
    rules: resourceRules.length === 0 ? everything : resourceRules,
    excluded: excludeResourceRules,
    exact: resources.matchPolicy === 'Exact',
    namespaceSelector: labelSelectorFromObject(resources.namespaceSelector ?? {}),
    objectSelector: labelSelectorFromObject(resources.objectSelector ?? {}),
  }
}
