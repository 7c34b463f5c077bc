import { containersOf, describeContainers, isWindows, namesWhere, type PodSecurityCheck, quotedSet } from '../check.ts'

const allowed = 'NET_BIND_SERVICE'

/** Drops all capabilities, and adds none but that to listen on low ports. */
export const capabilitiesRestricted: PodSecurityCheck = {
  id: 'capabilities_restricted',
  since: 22,
  replaces: 'capabilities_baseline',
  run({ spec }, minor) {
    if (isWindows(spec, minor)) return undefined
    const keeping = namesWhere(spec, ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'))
    const adding = containersOf(spec).flatMap(({ name, securityContext }) => {
      const added = (securityContext?.capabilities?.add ?? []).filter((capability) => capability !== allowed)
      return added.length === 0 ? [] : [{ name, added }]
    })
    const faults = [
      ...(keeping.length === 0 ? [] : [`${describeContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
      ...(adding.length === 0
        ? []
        : [
            `${describeContainers(adding.map(({ name }) => name))} must not include ${quotedSet(adding.flatMap(({ added }) => added))} in securityContext.capabilities.add`,
          ]),
    ]
    return faults.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: faults.join('; ') }
  },
}
