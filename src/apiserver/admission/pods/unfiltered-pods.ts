import type { Pod } from '#api/core/v1/pod.ts'
import type { NetworkPolicy } from '#api/networking/v1/network-policy.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { podsKey } from './pod-request.ts'

/** Annotation of pods that run in the pod network: guests. */
const networkAnnotation = 'steadyvm.io/pod-network'
/** Number of pods in a warning; the rest is counted. */
const shownPods = 3

/**
 * Warns about pods that a NetworkPolicy selects, and whose traffic is not filtered: those that are
 * processes of the machine; without a pod network, all.
 */
export function createUnfilteredPods(store: Pick<ObjectStore, 'list'>, hasPodNetwork: boolean): AdmissionPlugin {
  return {
    name: 'UnfilteredPods',
    resources: new Set(['networking.k8s.io/networkpolicies']),
    validate({ operation, target, object, old, context }) {
      if ((operation !== 'CREATE' && operation !== 'UPDATE') || object === undefined) return
      const { spec } = object as NetworkPolicy
      if (old !== undefined && deepEqual(spec, (old as NetworkPolicy).spec)) return
      if (!hasPodNetwork)
        return context.warn('NetworkPolicy is stored, but nothing on this machine acts on it: there is no network of guests')
      const selector = labelSelectorFromObject(spec?.podSelector ?? {})
      const names = store
        .list(podsKey, target.namespace ?? '')
        .map((entry) => entry.object as Pod)
        .filter(({ metadata }) => metadata.annotations?.[networkAnnotation] === undefined && selector.matches(metadata.labels))
        .map(({ metadata }) => JSON.stringify(metadata.name ?? ''))
      if (names.length === 0) return
      const listed = [...names.slice(0, shownPods), ...(names.length > shownPods ? [`${names.length - shownPods} more`] : [])].join(', ')
      context.warn(`spec.podSelector selects pods that are processes of the machine, and whose traffic is not filtered: ${listed}`)
    },
  }
}
