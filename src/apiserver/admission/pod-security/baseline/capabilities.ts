import { containersOf, describeContainers, type PodSecurityCheck, quotedSet } from '../check.ts'

const allowed = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

/** No capabilities beyond those that container runtimes grant by default. */
export const capabilitiesBaseline: PodSecurityCheck = {
  id: 'capabilities_baseline',
  since: 0,
  run({ spec }) {
    const bad = containersOf(spec).flatMap(({ name, securityContext }) => {
      const added = (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability))
      return added.length === 0 ? [] : [{ name, added }]
    })
    if (bad.length === 0) return undefined
    const containers = describeContainers(bad.map(({ name }) => name))
    const detail = `${containers} must not include ${quotedSet(bad.flatMap(({ added }) => added))} in securityContext.capabilities.add`
    return { reason: 'non-default capabilities', detail }
  },
}
