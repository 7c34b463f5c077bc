import type { Pod } from '#api/core/v1/pod.ts'
import type { PriorityClass } from '#api/scheduling/v1/priority-class.ts'
import { forbidden } from '#apimachinery/errors.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../chain.ts'
import { createdPod, podsKey } from './pod-request.ts'

const classesKey = 'scheduling.k8s.io/priorityclasses'

/** Resolves the priorityClassName of new pods to a number, and allows one global default only. */
export function createPriority(store: ObjectStore): AdmissionPlugin {
  const defaults = (): readonly PriorityClass[] =>
    store
      .list(classesKey)
      .map(({ object }) => object as PriorityClass)
      .filter(({ globalDefault }) => globalDefault === true)

  return {
    name: 'Priority',
    resources: new Set([podsKey, classesKey]),
    mutate(request) {
      const pod = createdPod(request)
      return pod?.spec === undefined ? undefined : prioritise(pod, classOf(store, pod, defaults(), request), request)
    },
    validate({ operation, target, object }) {
      if (operation === 'DELETE' || target.definition.storageKey !== classesKey || (object as PriorityClass).globalDefault !== true) return
      const other = defaults().find(({ metadata }) => metadata.name !== target.name)
      if (other === undefined) return
      throw forbidden(
        target.definition,
        target.name,
        `PriorityClass ${other.metadata.name ?? ''} is already marked as default. Only one default can exist`,
      )
    },
  }
}

interface Rank {
  /** Empty: no class. */
  readonly name: string
  readonly value: number
  readonly preemptionPolicy: string
}

const unranked: Rank = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' }

function classOf(store: ObjectStore, { spec }: Pod, defaults: readonly PriorityClass[], { target }: AdmissionRequest): Rank {
  const { priorityClassName = '' } = spec
  if (priorityClassName !== '') {
    const found = store.get(classesKey, '', priorityClassName)?.object
    if (found === undefined) throw forbidden(target.definition, target.name, `no PriorityClass with name ${priorityClassName} was found`)
    return rankOf(found as PriorityClass)
  }
  // Of several global defaults the lowest applies, as in Kubernetes.
  return defaults.map(rankOf).toSorted((a, b) => a.value - b.value)[0] ?? unranked
}

function rankOf({ metadata, value, preemptionPolicy }: PriorityClass): Rank {
  return { name: metadata.name ?? '', value, preemptionPolicy: preemptionPolicy ?? unranked.preemptionPolicy }
}

function prioritise(pod: Pod, rank: Rank, { target }: AdmissionRequest): Pod | undefined {
  const { spec } = pod
  const computed = (what: string, given: string, value: string): Error =>
    forbidden(
      target.definition,
      target.name,
      `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    )
  if (spec.priority !== undefined && spec.priority !== rank.value) {
    throw computed('integer value of priority', String(spec.priority), String(rank.value))
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== rank.preemptionPolicy) {
    throw computed('string value of PreemptionPolicy', spec.preemptionPolicy, rank.preemptionPolicy)
  }
  if (spec.priority === rank.value && spec.preemptionPolicy === rank.preemptionPolicy) return undefined
  return {
    ...pod,
    spec: {
      ...spec,
      ...(rank.name === '' ? {} : { priorityClassName: rank.name }),
      priority: rank.value,
      preemptionPolicy: rank.preemptionPolicy,
    },
  }
}
