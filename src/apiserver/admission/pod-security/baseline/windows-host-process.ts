import { describeSetters, namesWhere, type PodSecurityCheck } from '../check.ts'

/** No Windows HostProcess containers. */
export const windowsHostProcess: PodSecurityCheck = {
  id: 'windowsHostProcess',
  since: 0,
  run({ spec }) {
    const byPod = spec.securityContext?.windowsOptions?.hostProcess === true
    const names = namesWhere(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true)
    if (!byPod && names.length === 0) return undefined
    return {
      reason: 'hostProcess',
      detail: `${describeSetters(byPod, names)} must not set securityContext.windowsOptions.hostProcess=true`,
    }
  },
}
