import { describeContainers, describeSetters, namesWhere, type PodSecurityCheck } from '../check.ts'

/** The pod or each container says that it does not run as root. */
export const runAsNonRoot: PodSecurityCheck = {
  id: 'runAsNonRoot',
  since: 0,
  run({ spec }) {
    const reason = 'runAsNonRoot != true'
    const pod = spec.securityContext?.runAsNonRoot
    const asRoot = namesWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false)
    if (pod === false || asRoot.length > 0) {
      return { reason, detail: `${describeSetters(pod === false, asRoot)} must not set securityContext.runAsNonRoot=false` }
    }
    const silent = pod === true ? [] : namesWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined)
    if (silent.length === 0) return undefined
    return { reason, detail: `pod or ${describeContainers(silent)} must set securityContext.runAsNonRoot=true` }
  },
}
