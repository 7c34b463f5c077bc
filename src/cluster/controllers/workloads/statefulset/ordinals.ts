import type { StatefulSet } from '#api/apps/v1/stateful-set.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** Name of the pod with an ordinal. */
export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name ?? ''}-${ordinal}`
}

/** The ordinal in the name of a pod; undefined for a pod that cannot be of this StatefulSet. */
export function ordinalOf({ metadata: { name: owner = '' } }: StatefulSet, { metadata }: KubeObject): number | undefined {
  const { name = '' } = metadata ?? {}
  const digits = name.startsWith(`${owner}-`) ? name.slice(owner.length + 1) : ''
  return /^(0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : undefined
}

/** Ordinals of the pods that there should be, from the lowest. */
export function wantedOrdinals({ spec }: StatefulSet): readonly number[] {
  const start = spec.ordinals?.start ?? 0
  return Array.from({ length: spec.replicas ?? 1 }, (_, at) => start + at)
}
