import { describeContainers, isWindows, namesWhere, type PodSecurityCheck } from '../check.ts'
import { forbiddenSeccompProfile } from '../seccomp-profile.ts'

/** The pod or each container names a profile. */
export const seccompProfileRestricted: PodSecurityCheck = {
  id: 'seccompProfile_restricted',
  since: 19,
  replaces: 'seccompProfile_baseline',
  run(pod, minor) {
    const { spec } = pod
    if (isWindows(spec, minor)) return undefined
    const forbidden = forbiddenSeccompProfile(pod)
    if (forbidden !== undefined) return forbidden
    if (spec.securityContext?.seccompProfile !== undefined) return undefined
    const silent = namesWhere(spec, ({ securityContext }) => securityContext?.seccompProfile === undefined)
    if (silent.length === 0) return undefined
    const detail = `pod or ${describeContainers(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`
    return { reason: 'seccompProfile', detail }
  },
}
