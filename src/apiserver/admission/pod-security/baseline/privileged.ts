import { describeContainers, namesWhere, type PodSecurityCheck } from '../check.ts'

/** No privileged containers. */
export const privileged: PodSecurityCheck = {
  id: 'privileged',
  since: 0,
  run({ spec }) {
    const names = namesWhere(spec, ({ securityContext }) => securityContext?.privileged === true)
    if (names.length === 0) return undefined
    return { reason: 'privileged', detail: `${describeContainers(names)} must not set securityContext.privileged=true` }
  },
}
