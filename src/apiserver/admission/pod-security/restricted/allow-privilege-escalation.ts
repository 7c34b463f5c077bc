import { describeContainers, isWindows, namesWhere, type PodSecurityCheck } from '../check.ts'

/** No setuid programs that gain privileges. */
export const allowPrivilegeEscalation: PodSecurityCheck = {
  id: 'allowPrivilegeEscalation',
  since: 8,
  run({ spec }, minor) {
    if (isWindows(spec, minor)) return undefined
    const names = namesWhere(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
    if (names.length === 0) return undefined
    const detail = `${describeContainers(names)} must set securityContext.allowPrivilegeEscalation=false`
    return { reason: 'allowPrivilegeEscalation != false', detail }
  },
}
