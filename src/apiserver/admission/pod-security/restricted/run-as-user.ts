import { describeSetters, namesWhere, type PodSecurityCheck } from '../check.ts'

/** No user id 0. */
export const runAsUser: PodSecurityCheck = {
  id: 'runAsUser',
  since: 23,
  run({ spec }) {
    const byPod = isRoot(spec.securityContext?.runAsUser)
    const names = namesWhere(spec, ({ securityContext }) => isRoot(securityContext?.runAsUser))
    if (!byPod && names.length === 0) return undefined
    return { reason: 'runAsUser=0', detail: `${describeSetters(byPod, names)} must not set runAsUser=0` }
  },
}

function isRoot(user: number | bigint | undefined): boolean {
  return user !== undefined && Number(user) === 0
}
