import type { Pod } from '#api/core/v1/pod.ts'
import { containersOf } from './check.ts'

/** Annotations that once held what are fields of the security context now. */
const securityAnnotations = [
  'seccomp.security.alpha.kubernetes.io/pod',
  'container.seccomp.security.alpha.kubernetes.io/',
  'container.apparmor.security.beta.kubernetes.io/',
]

/**
 * Reports whether an update changes anything that the standards are about. A running pod in a
 * namespace that became stricter must still accept labels, finalizers and tolerations. Pure.
 */
export function isSignificantUpdate(next: Pod, old: Pod): boolean {
  const [after, before] = [containersOf(next.spec), containersOf(old.spec)]
  if (after.length !== before.length) return true
  if (after.some(({ name, image }, index) => name !== before[index]?.name || image !== before[index]?.image)) return true
  return securityOf(next) !== securityOf(old)
}

function securityOf({ metadata }: Pod): string {
  const annotations = metadata.annotations ?? {}
  const keys = Object.keys(annotations).filter((key) => securityAnnotations.some((prefix) => key.startsWith(prefix)))
  return JSON.stringify(keys.toSorted().map((key) => [key, annotations[key]]))
}
