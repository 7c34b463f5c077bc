import { containersOf, describeSetters, type PodSecurityCheck, plural, quotedSet } from '../check.ts'

const annotationPrefix = 'container.apparmor.security.beta.kubernetes.io/'
const allowed = ['RuntimeDefault', 'Localhost']

/** Only the runtime's profile or one loaded on the node. */
export const appArmorProfile: PodSecurityCheck = {
  id: 'appArmorProfile',
  since: 0,
  run({ metadata, spec }) {
    const podType = spec.securityContext?.appArmorProfile?.type
    const byPod = podType !== undefined && !allowed.includes(podType)
    const bad = containersOf(spec).flatMap(({ name, securityContext }) => {
      const type = securityContext?.appArmorProfile?.type
      return type === undefined || allowed.includes(type) ? [] : [{ name, type }]
    })
    const types = [...(byPod ? [podType] : []), ...bad.map(({ type }) => type)]
    if (types.length > 0) {
      const setters = describeSetters(
        byPod,
        bad.map(({ name }) => name),
      )
      return { reason: reason(new Set(types).size), detail: `${setters} must not set AppArmor profile type to ${quotedSet(types)}` }
    }
    const annotations = Object.entries(metadata?.annotations ?? {})
      .filter(([key, value]) => key.startsWith(annotationPrefix) && !isAllowedAnnotation(value))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    return annotations.length === 0 ? undefined : { reason: reason(annotations.length), detail: annotations.toSorted().join(', ') }
  },
}

function isAllowedAnnotation(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/')
}

function reason(count: number): string {
  return plural('forbidden AppArmor profile', count)
}
