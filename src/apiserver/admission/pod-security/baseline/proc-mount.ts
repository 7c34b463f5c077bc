import { containersOf, describeContainers, type PodSecurityCheck, quotedSet } from '../check.ts'

/** Only the default masks of `/proc`. */
export const procMount: PodSecurityCheck = {
  id: 'procMount',
  since: 0,
  run({ spec }) {
    const bad = containersOf(spec).flatMap(({ name, securityContext }) => {
      const value = securityContext?.procMount ?? 'Default'
      return value === 'Default' ? [] : [{ name, value }]
    })
    if (bad.length === 0) return undefined
    const containers = describeContainers(bad.map(({ name }) => name))
    return {
      reason: 'procMount',
      detail: `${containers} must not set securityContext.procMount to ${quotedSet(bad.map(({ value }) => value))}`,
    }
  },
}
