import type { Container } from '#api/core/v1/container.ts'
import type { LimitRange, LimitRangeItem } from '#api/core/v1/limit-range.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { parseAmounts, podLimits, podRequests } from '#api/usage/pod-requests.ts'
import { forbidden } from '#apimachinery/errors.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import { createdPod, podsKey, resizedPod } from '#apiserver/admission/pods/pod-request.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { withContainerDefaults } from './container-defaults.ts'
import { limitViolations } from './limit-violations.ts'

const rangesKey = '/limitranges'
const claimsKey = '/persistentvolumeclaims'

/**
 * Sets the defaults of the namespace's limit ranges, and refuses containers, pods and claims out of
 * range.
 */
export function createLimitRanger(store: ObjectStore): AdmissionPlugin {
  const rangesOf = ({ target }: AdmissionRequest): readonly LimitRange[] =>
    store.list(rangesKey, target.namespace).map(({ object }) => object as LimitRange)
  return {
    name: 'LimitRanger',
    resources: new Set([podsKey, claimsKey]),
    mutate(request) {
      const pod = createdPod(request)
      if (pod?.spec === undefined) return undefined
      const complete = rangesOf(request).reduce(withContainerDefaults, pod)
      return complete === pod ? undefined : complete
    },
    validate(request) {
      const { operation, target, object } = request
      const isClaim = target.definition.storageKey === claimsKey && target.subresource === '' && operation !== 'DELETE'
      const pod = createdPod(request) ?? resizedPod(request)
      if (pod === undefined && !isClaim) return
      const items = rangesOf(request).flatMap(({ spec }) => spec?.limits ?? [])
      const problems = pod === undefined ? claimProblems(object as PersistentVolumeClaim, items) : podProblems(pod, items)
      if (problems.length === 0) return
      throw forbidden(target.definition, target.name, problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`)
    },
  }
}

function podProblems(pod: Pod, items: readonly LimitRangeItem[]): readonly string[] {
  return items.flatMap((item) => {
    if (item.type === 'Pod') return limitViolations(item, { requests: podRequests(pod), limits: podLimits(pod) })
    if (item.type !== 'Container') return []
    return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].flatMap((container) => limitViolations(item, demandOf(container)))
  })
}

function demandOf({ resources }: Container): Parameters<typeof limitViolations>[1] {
  return { requests: parseAmounts(resources?.requests), limits: parseAmounts(resources?.limits) }
}

function claimProblems({ spec }: PersistentVolumeClaim, items: readonly LimitRangeItem[]): readonly string[] {
  const demand = { requests: parseAmounts(spec?.resources?.requests), limits: new Map<string, bigint>() }
  return items.filter(({ type }) => type === 'PersistentVolumeClaim').flatMap((item) => limitViolations(item, demand))
}
