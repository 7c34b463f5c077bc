import type { SELinuxOptions } from '#api/core/v1/security-context.ts'
import { containersOf, describeSetters, type PodSecurityCheck, plural, quotedSet } from '../check.ts'

const types = ['', 'container_t', 'container_init_t', 'container_kvm_t']

/** Only the types for containers, and neither user nor role. */
export const selinuxOptions: PodSecurityCheck = {
  id: 'seLinuxOptions',
  since: 0,
  run({ spec }, minor) {
    const allowed = minor >= 31 ? [...types, 'container_engine_t'] : types
    const isBad = ({ type = '', user = '', role = '' }: SELinuxOptions = {}): boolean =>
      !allowed.includes(type) || user !== '' || role !== ''
    const podOptions = spec.securityContext?.seLinuxOptions
    const byPod = isBad(podOptions)
    const bad = containersOf(spec).filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions))
    if (!byPod && bad.length === 0) return undefined
    const options = [podOptions ?? {}, ...bad.map(({ securityContext }) => securityContext?.seLinuxOptions ?? {})]
    const badTypes = new Set(options.map(({ type = '' }) => type).filter((type) => !allowed.includes(type)))
    const faults = [
      ...(badTypes.size === 0 ? [] : [`${plural('type', badTypes.size)} ${quotedSet(badTypes)}`]),
      ...(options.some(({ user = '' }) => user !== '') ? ['user may not be set'] : []),
      ...(options.some(({ role = '' }) => role !== '') ? ['role may not be set'] : []),
    ]
    const setters = describeSetters(
      byPod,
      bad.map(({ name }) => name),
    )
    return { reason: 'seLinuxOptions', detail: `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}` }
  },
}
