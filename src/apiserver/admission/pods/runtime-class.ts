import type { Toleration } from '#api/core/v1/affinity.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import type { RuntimeClass, Scheduling } from '#api/node/v1/runtime-class.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { forbidden } from '#apimachinery/errors.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { createdPod, podsKey } from './pod-request.ts'

const classesKey = 'node.k8s.io/runtimeclasses'

/**
 * Sets the overhead and scheduling constraints of a pod's RuntimeClass. Refuses unknown classes.
 */
export function createRuntimeClassAdmission(store: ObjectStore): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    resources: new Set([podsKey]),
    mutate(request) {
      const pod = createdPod(request)
      if (pod?.spec === undefined) return undefined
      const refuse = (why: string): Error => forbidden(request.target.definition, request.target.name, why)
      const { runtimeClassName, overhead } = pod.spec
      if (runtimeClassName === undefined || runtimeClassName === '') {
        if (overhead === undefined || Object.keys(overhead).length === 0) return undefined
        throw refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
      }
      const found = store.get(classesKey, '', runtimeClassName)?.object as RuntimeClass | undefined
      if (found === undefined) throw refuse(`pod rejected: RuntimeClass "${runtimeClassName}" not found`)
      return withClass(pod, found, refuse)
    },
  }
}

function withClass(pod: Pod, { overhead, scheduling }: RuntimeClass, refuse: (why: string) => Error): Pod {
  const { spec } = pod
  const fixed = overhead?.podFixed
  if (spec.overhead !== undefined && !deepEqual(spec.overhead, fixed ?? {})) {
    const why = fixed === undefined ? 'Pod Overhead set without corresponding RuntimeClass defined Overhead' : undefined
    throw refuse(`pod rejected: ${why ?? "Pod's Overhead doesn't match RuntimeClass's defined Overhead"}`)
  }
  return { ...pod, spec: { ...spec, ...(fixed === undefined ? {} : { overhead: fixed }), ...placed(spec, scheduling, refuse) } }
}

function placed(spec: PodSpec, scheduling: Scheduling | undefined, refuse: (why: string) => Error): Partial<PodSpec> {
  const { nodeSelector, tolerations } = scheduling ?? {}
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key]
    if (own === undefined || own === value) continue
    throw refuse(`conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`)
  }
  return {
    ...(nodeSelector === undefined ? {} : { nodeSelector: { ...spec.nodeSelector, ...nodeSelector } }),
    ...(tolerations === undefined ? {} : { tolerations: merged(spec.tolerations ?? [], tolerations) }),
  }
}

function merged(own: readonly Toleration[], added: readonly Toleration[]): Toleration[] {
  return [...own, ...added.filter((toleration) => !own.some((other) => deepEqual(other, toleration)))]
}
